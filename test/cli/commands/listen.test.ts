import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyWebhook } from '#kit/verify-webhook.ts';
import { startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';
import { make, WATCHED } from '#test/end-to-end/company.ts';

/** Events of a running machine, forwarded to a receiver. */

interface Arrival {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

let machine: WatchedMachine;
let server: Server;
let url: string;
let arrivals: Arrival[];
let answers: number[];

beforeAll(async () => {
  machine = await startWatchedMachine();
  arrivals = [];
  answers = [];
  server = createServer((request, response) => {
    text(request).then((body) => {
      arrivals.push({ headers: request.headers, body });
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});

afterAll(async () => {
  server?.close();
  server?.closeAllConnections();
  await machine?.stop();
});

test('forwards what is in the log, in order and signed, and resumes behind it', async () => {
  const [first, second] = await approve(2);
  const args = ['listen', '--forward', url, '--once', '--type', 'timesheet.*'];
  const { code, lines, stderr } = await machine.run(...args, '--since', '1h');
  expect([code, lines]).toEqual([
    0,
    [
      expect.stringMatching(/^204 {2}\d{4}-.* timesheet\.approved +\S+ +approvedHours /),
      expect.stringMatching(/^204 {2}\d{4}-.* timesheet\.approved +\S+ +approvedHours /),
    ],
  ]);
  expect(arrivals.map(({ body }) => body).sort()).toEqual([first, second].sort());
  const secret =
    /signed with (?<secret>whsec_\S+), which your receiver needs/.exec(stderr)?.groups?.secret ?? '';
  for (const arrival of arrivals.splice(0))
    expect(verifyWebhook(arrival, secret)).toMatchObject({ outcome: 'event' });

  const [third] = await approve(1);
  answers.push(503);
  expect(await machine.run(...args)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^503 {2}.*timesheet\.approved/),
    stderr: expect.stringMatching(/did not accept an event \(503\); .* it resumes with this one\n$/),
  });
  const resumed = await machine.run(...args, '--json');
  expect(JSON.parse(resumed.stdout)).toMatchObject({
    eventId: JSON.parse(third ?? '').id,
    type: 'workforce.timesheet.approved',
    answer: '204',
    attempt: 1,
    retryMs: null,
  });
  // The generated secret is kept, so that the receiver can be left running.
  expect(resumed.stderr).toContain(secret);
  expect(arrivals.splice(0).map(({ body }) => body)).toEqual([third, third]);
  expect(statSync(join(machine.stage.dataFolder, 'listen.json')).mode & 0o077).toBe(0);
});

test('a wrong option is one line that says what to use', async () => {
  const plain = await machine.run('listen', '--forward', 'http://payroll.acme.example/hook');
  expect(plain).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^--forward is .* in clear;/),
  });
  const file = join(machine.stage.dataFolder, 'other.json');
  writeFileSync(file, '{"no": "position"}');
  const { stderr } = await machine.run('listen', '--forward', url, '--once', '--position', file);
  expect(stderr).toBe(
    `${file} does not say where listen ended; delete it, or name another file with --position\n`,
  );
  expect(readFileSync(file, 'utf8')).toBe('{"no": "position"}');
});

/** Approves timesheets and returns the events as published. */
async function approve(count: number): Promise<string[]> {
  const open = machine.source.company.timesheets(WATCHED).filter((each) => each.approvedHours === null);
  for (const { id } of open.slice(0, count)) make(machine.source, { change: 'approve', id });
  return (await machine.stage.tell()).map((event) => event.text);
}
