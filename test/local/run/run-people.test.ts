import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { serveOnLoopback } from '#local/loopback-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';
import { fixtureEvent } from './fixture-people.ts';
import { cleanUp, openSource, runHere } from './fixture-run.ts';
import { startTelling, tellHere, webhooksIn } from './telling.ts';

/** Messages to people and systems in a run. */

let data: string;
beforeEach(() => {
  data = createTemporaryFolder('data');
});
const closes: (() => void)[] = [];
afterEach(() => {
  cleanUp();
  for (const close of closes.splice(0)) close();
});

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('--once ends when everything is delivered: Slack, mail and a verified webhook', async () => {
  const life = await tellHere(data, [1, 2], ['--once']);
  expect(await life.ended).toBe(0);
  const lines = life.lines();
  expect(lines.filter((line) => / timesheet\.approved {2}[12]_1$/.test(line))).toHaveLength(2);
  expect(webhooksIn(lines).toSorted()).toEqual([
    '      → system took timesheet.approved of 1_1, sequence 1',
    '      → system took timesheet.approved of 2_1, sequence 1',
  ]);
  for (const channel of ['slack #payroll', 'mail office@acme.example'])
    expect(lines.filter((line) => line.includes(` │ ${channel}  `))).toHaveLength(2);
  expect(life.stderr()).toMatch(/^2 events \(timesheet.approved 2\)/);
});

test('ndjson prints events only; alerts wait for the next run that delivers them', async () => {
  const first = await tellHere(data, [1, 2], ['--once', '--output', 'ndjson']);
  expect(await first.ended).toBe(0);
  expect(first.lines().toSorted()).toEqual([fixtureEvent(1), fixtureEvent(2)]);
  const second = await tellHere(data, [], ['--once']);
  expect(await second.ended).toBe(0);
  expect(webhooksIn(second.lines())).toHaveLength(2);
  for (const channel of ['slack', 'mail'])
    expect(second.lines().filter((line) => line.includes(` │ ${channel} `))).toHaveLength(2);
  expect(second.lines().filter((line) => line.endsWith('_1') && !line.includes('│'))).toEqual([]);
});

test('--webhook delivers to the own receiver; what it refuses waits in the folder, and the next run sends it', async () => {
  const answer = { status: 500 };
  const receiver = await openReceiver(() => answer.status);
  const args = ['--webhook', receiver.url, '--once'];
  const what = 'timesheet.approved of 1_1, sequence 1';
  const first = await tellHere(data, [1], args);
  expect(await first.ended).toBe(3);
  expect(webhooksIn(first.lines())[0]).toBe(`      → system refused (500) ${what}`);
  expect(first.stderr()).toContain(
    `1 messages were not delivered (1 in Fixture-Hook); they are kept in ${data} and sent by the next run\n`,
  );
  answer.status = 200;
  const second = await tellHere(data, [], ['--every', '1h', '--webhook', receiver.url]);
  await eventually(() => expect(webhooksIn(second.lines())).toEqual([`      → system took (200) ${what}`]));
  second.stop();
  expect(await second.ended).toBe(0);
  const said = [first, second].map((life) => / signed with (whsec_\S+)\n/.exec(life.stderr())?.[1]);
  expect(first.stderr()).toContain(`webhook system goes to ${receiver.url}, signed with whsec_`);
  expect(said[0]).toBe(said[1]);
  for (const { body, headers } of receiver.requests) {
    const seen = new Webhook(said[0] ?? '').verify(body, headers as Record<string, string>);
    expect(seen).toMatchObject({ id: 'event-1' });
  }
});

test('WEBHOOK_SECRET is the secret of the own receiver, and is never printed', async () => {
  const receiver = await openReceiver(() => 200);
  vi.stubEnv('WEBHOOK_SECRET', SECRET);
  const life = await tellHere(data, [1], ['--webhook', receiver.url, '--output', 'ndjson', '--once']);
  expect(await life.ended).toBe(0);
  vi.unstubAllEnvs();
  const [request] = receiver.requests;
  const seen = new Webhook(SECRET).verify(request?.body ?? '', request?.headers as Record<string, string>);
  expect(seen).toMatchObject({ id: 'event-1' });
  expect(life.stderr()).toContain(`goes to ${receiver.url}, signed with your secret\n`);
  expect(life.stderr()).not.toContain('whsec_');
});

test('--webhook with a config without webhooks says how to fix it', async () => {
  const { baseUrl } = await openSource(() => ({}));
  const life = runHere(['--base-url', baseUrl, '--once', '--webhook', 'http://localhost:3000/hook']);
  expect(await life.ended).toBe(1);
  expect(life.stderr()).toBe(
    '--webhook http://localhost:3000/hook: the config has no webhook to send; add one to webhooks in notifier.config.ts\n',
  );
});

test('a receiver that never answers does not keep a run from ending', async () => {
  const receiver = await openReceiver(() => null);
  const life = await startTelling(data, [1], ['--every', '1h', '--webhook', receiver.url]);
  await eventually(() => expect(receiver.requests).toHaveLength(1));
  life.signal('SIGTERM');
  expect(await life.ended).toBe(0);
});

/** A receiver with these answers; null for none. */
async function openReceiver(answer: () => number | null) {
  const requests: { body: string; headers: IncomingHttpHeaders }[] = [];
  const { endpoint, stop } = await serveOnLoopback(async (request, response) => {
    requests.push({ body: await text(request), headers: request.headers });
    const status = answer();
    if (status !== null) response.writeHead(status).end();
  });
  closes.push(() => void stop());
  return { url: `${endpoint}/hook`, requests };
}
