import { existsSync, statSync } from 'node:fs';
import { PublishCommand } from '@aws-sdk/client-sns';
import { afterEach, expect, test } from 'vitest';
import { readAnnouncement } from '#local/aws/engines/announcement.ts';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import type { RunOptions } from '#local/run/options.ts';
import { createRunStats } from '#local/run/output/stats.ts';
import { startDelivery } from '#local/run/session/delivery.ts';
import { type Machine, readSigningSecret, startMachine } from '#local/run/session/machine.ts';
import { createSession } from '#local/run/session/session.ts';
import { createTemporaryFolder, writeAssembly } from '#test/local/aws/fixture-assembly.ts';
import { type Planner, startFixtureSource, writePollAssembly } from '#test/local/run/fixture-source.ts';

const closes: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

test('polls are requests by the options, with the token; a crash leaves one incomplete, its events delivered', async () => {
  const source = await startSource((times) => (times < 3 ? {} : { messages: ['published'], crash: true }));
  const { session, said, machine } = await startFixture(source.baseUrl);
  const before = Date.now();
  expect(await session.pollAll()).toBe('complete');
  await session.poll();
  expect(source.asked).toMatchObject([
    {
      authorization: 'the-token',
      request: {
        feeds: [{ name: 'timesheets', silent: false }],
        followUpUntil: 0,
        connection: {
          name: 'main',
          baseUrl: source.baseUrl,
          timeZone: 'Pacific/Auckland',
          window: { backDays: 3, forwardDays: 4 },
          retentionDays: 90,
        },
      },
    },
    {},
  ]);
  const [whole, due] = source.asked;
  expect(whole?.request.freshSince).toBeGreaterThanOrEqual(before);
  expect(due?.request.freshSince).toBeUndefined();
  expect(await session.pollAll()).toBe('incomplete');
  expect(said[0]).toContain('function Poll ended with exit code 9');
  expect(await deliverIn(machine)).toEqual(['published']);
});

test('undelivered events are delivered by the next run, and one that was published again is shown once', async () => {
  const [a, b] = ['{"id":"a"}', '{"id":"b"}'];
  const { baseUrl } = await startSource((times) => (times === 1 ? { messages: [a, b] } : {}));
  const path = createTemporaryFolder('data');
  const first = await startFixture(baseUrl, path);
  await first.session.pollAll();
  const gone = startDelivery(first.machine, async (text) => {
    if (text === b) throw new Error('the reader is gone');
  });
  await expect(gone.finish()).rejects.toThrow('the reader is gone');
  await closes.pop()?.();
  const { machine } = await startFixture(baseUrl, path);
  await machine.aws.sns.send(new PublishCommand({ TopicArn: machine.polling.topicArns[0], Message: a }));
  expect(await deliverIn(machine)).toEqual([b]);
  expect(await deliverIn(machine)).toEqual([]);
});

test('a folder of the sample company is refused for a real source, and its secret is made once', async () => {
  const path = createTemporaryFolder('data');
  const { machine } = await startFixture(null, path);
  expect(machine.source.clock?.speed).toBe(600);
  expect(machine.signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await closes.pop()?.();
  const file = (name: string) => `${path}/${name}`;
  expect(readSigningSecret({ file })).toBe(machine.signingSecret);
  expect(['webhook-secret', 'machine.json'].map((name) => statSync(file(name)).mode & 0o777)).toEqual([
    0o600, 0o600,
  ]);
  const { baseUrl } = await startSource(() => ({}));
  await expect(startFixture(baseUrl, path)).rejects.toMatchObject({
    code: 'data_folder_differs',
    message: `data folder ${path} belongs to the sample company; name another folder with --data`,
  });
});

test('the sample company does not start before the template is synthesized', async () => {
  const path = createTemporaryFolder('data');
  const awake = () => existsSync(`${path}/source`);
  const seen: boolean[] = [];
  await startFixture(null, path, async () => {
    seen.push(awake());
    return writePollAssembly();
  });
  expect([...seen, awake()]).toEqual([false, true]);
  // Commands must know whether alerts are delivered.
  expect(readAnnouncement(path)).toMatchObject({ tellsPeople: false });
});

test('a template without a poll is an error', async () => {
  const starting = startFixture('http://127.0.0.1:1', undefined, async () => writeAssembly({}));
  await expect(starting).rejects.toThrow('no schedule of the template polls a connection');
});

function optionsFor(baseUrl: string | null): RunOptions {
  return {
    source:
      baseUrl === null ? { kind: 'emulator', speed: 600 } : { kind: 'remote', baseUrl, token: 'the-token' },
    mode: { kind: 'once' },
    dataFolder: '',
    output: 'ndjson',
    timeZone: 'Pacific/Auckland',
    windowBackDays: 3,
    windowForwardDays: 4,
    webhook: null,
    webhookSecret: null,
  };
}

/** A machine with its polls, until the test ends. */
async function startFixture(
  baseUrl: string | null,
  path = createTemporaryFolder('data'),
  assembly = async () => writePollAssembly(),
) {
  const folder = await openDataFolder(path);
  closes.push(async () => folder.release());
  const environment = { PATH: process.env.PATH };
  const show = async () => {};
  const machine = await startMachine({ run: optionsFor(baseUrl), folder, assembly, environment, show });
  closes[closes.length - 1] = async () => {
    await machine.stop();
    folder.release();
  };
  const said: string[] = [];
  const notes = { say: (text: string) => void said.push(text), progress: () => {} };
  const stopping = new AbortController().signal;
  const session = createSession({ machine, notes, stats: createRunStats(), stopping });
  return { machine, said, session };
}

/** What a reader gets now. */
async function deliverIn(machine: Machine): Promise<string[]> {
  const lines: string[] = [];
  await startDelivery(machine, async (text) => void lines.push(text)).finish();
  return lines;
}

async function startSource(plan: Planner) {
  const source = await startFixtureSource(plan);
  closes.unshift(async () => source.close());
  return source;
}
