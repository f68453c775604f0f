import { existsSync } from 'node:fs';
import { PublishCommand } from '@aws-sdk/client-sns';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readAnnouncement } from '#local/aws/engines/announcement.ts';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import type { RunOptions } from '#local/run/options.ts';
import { createRunStats } from '#local/run/output/stats.ts';
import { startDelivery } from '#local/run/session/delivery.ts';
import { type Machine, startMachine } from '#local/run/session/machine.ts';
import { createSession } from '#local/run/session/session.ts';
import { createTemporaryFolder, writeAssembly } from '#test/local/aws/fixture-assembly.ts';
import {
  type FixtureSource,
  type Planner,
  startFixtureSource,
  writePollAssembly,
} from '#test/local/run/fixture-source.ts';

const closes: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

describe('a session', () => {
  let source: FixtureSource;
  let shared: Awaited<ReturnType<typeof openMachine>>;
  let plan: Planner;

  beforeAll(async () => {
    source = await startFixtureSource((...poll) => plan(...poll));
    shared = await openMachine(source.baseUrl, createTemporaryFolder('data'));
  });

  afterAll(async () => {
    await shared?.stop();
    source?.close();
  });

  /** On the one machine, whose polls do what `next` says from now on. */
  function openSession(next: Planner) {
    plan = next;
    const { length } = source.asked;
    return {
      ...startSession(shared.machine),
      machine: shared.machine,
      asked: () => source.asked.slice(length),
    };
  }

  test('a poll of the whole window is one request, by the options, with the token', async () => {
    const { session, asked } = openSession(() => ({}));
    const before = Date.now();
    expect(await session.pollAll()).toBe('complete');
    expect(asked()).toMatchObject([
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
    ]);
    expect(asked()[0]?.request.freshSince).toBeGreaterThanOrEqual(before);
    await session.poll();
    expect(asked()[1]?.request.freshSince).toBeUndefined();
  });

  test('events are delivered byte for byte, once', async () => {
    const messages = ['{"type":"workforce.timesheet.created", "data":{ }}', 'no event, with "quotes" and ü'];
    const { session, machine } = openSession(() => ({ messages }));
    const lines: string[] = [];
    const delivery = startDelivery(machine, async (text) => void lines.push(text));
    await session.pollAll();
    await delivery.finish();
    expect(lines.toSorted()).toEqual(messages.toSorted());
  });

  test('a poll that is left incomplete says so once, with its reason', async () => {
    const { session, said, asked } = openSession(() => ({ report: INCOMPLETE }));
    expect(await session.pollAll()).toBe('incomplete');
    await session.pollAll();
    expect(asked()).toHaveLength(2);
    expect(said).toEqual(['poll incomplete: out of time']);
  });

  test('a refusal is the verdict, and the run says it at its end', async () => {
    const { session, said } = openSession(() => ({ report: { outcome: 'refused', reasons: ['401'] } }));
    expect(await session.pollAll()).toBe('refused');
    expect([...session.refusals]).toEqual(['401']);
    expect(said).toEqual([]);
  });

  test('a function that crashes leaves the poll incomplete, and its published events are delivered', async () => {
    const { session, said, machine } = openSession(() => ({ messages: ['published'], crash: true }));
    expect(await session.pollAll()).toBe('incomplete');
    expect(said[0]).toContain('function Poll ended with exit code 9');
    const lines: string[] = [];
    await startDelivery(machine, async (text) => void lines.push(text)).finish();
    expect(lines).toEqual(['published']);
  });
});

test('undelivered events are delivered by the next run, and none twice', async () => {
  const { baseUrl } = await startSource((times) => (times === 1 ? { messages: ['first', 'second'] } : {}));
  const path = createTemporaryFolder('data');
  const first = await startFixture(baseUrl, path);
  await first.session.pollAll();
  const gone = startDelivery(first.machine, async (text) => {
    if (text === 'second') throw new Error('the reader is gone');
  });
  await expect(gone.finish()).rejects.toThrow('the reader is gone');
  await closes.pop()?.();
  const second = await startFixture(baseUrl, path);
  const lines: string[] = [];
  const delivery = startDelivery(second.machine, async (text) => void lines.push(text));
  await delivery.finish();
  expect(lines.toSorted()).toEqual(['first', 'second']);
  await startDelivery(second.machine, async (text) => void lines.push(text)).finish();
  expect(lines).toHaveLength(2);
});

test('an event that was published again before it was noted is shown once', async () => {
  const { baseUrl } = await startSource(() => ({}));
  const path = createTemporaryFolder('data');
  const lines: string[] = [];
  const deliverIn = async (machine: Machine) =>
    startDelivery(machine, async (text) => void lines.push(text)).finish();
  const publish = async ({ aws, polling }: Machine) => {
    await aws.sns.send(new PublishCommand({ TopicArn: polling.topicArns[0], Message: '{"id":"a"}' }));
  };
  const { machine: first } = await startFixture(baseUrl, path);
  await publish(first);
  await publish(first);
  await deliverIn(first);
  expect(lines).toHaveLength(1);
  await closes.pop()?.();
  const { machine: second } = await startFixture(baseUrl, path);
  await publish(second);
  await deliverIn(second);
  expect(lines).toEqual(['{"id":"a"}']);
});

test('a folder of the sample company is refused for a real source', async () => {
  const path = createTemporaryFolder('data');
  const sample = await startFixture(null, path);
  expect(sample.machine.source.clock?.speed).toBe(600);
  await closes.pop()?.();
  const { baseUrl } = await startSource(() => ({}));
  await expect(startFixture(baseUrl, path)).rejects.toMatchObject({
    code: 'data_folder_differs',
    message: `data folder ${path} belongs to the sample company; name another folder with --data`,
  });
});

test('the sample company does not start before the template is synthesized', async () => {
  const folder = await openDataFolder(createTemporaryFolder('data'));
  const awake = () => existsSync(folder.file('source'));
  const seen: boolean[] = [];
  const machine = await startMachine({
    run: optionsFor(null),
    folder,
    assembly: async () => {
      seen.push(awake());
      return writePollAssembly();
    },
    environment: { PATH: process.env.PATH },
    show: async () => {},
  });
  closes.push(async () => {
    await machine.stop();
    folder.release();
  });
  expect([...seen, awake()]).toEqual([false, true]);
  // Commands must know whether alerts are delivered.
  expect(readAnnouncement(folder.path)).toMatchObject({ tellsPeople: false });
});

test('a template without a poll is an error', async () => {
  const folder = await openDataFolder(createTemporaryFolder('data'));
  closes.push(async () => folder.release());
  const assembly = async () => writeAssembly({});
  const starting = startMachine({
    run: optionsFor('http://127.0.0.1:1'),
    folder,
    assembly,
    environment: {},
    show: async () => {},
  });
  await expect(starting).rejects.toThrow('no schedule of the template polls a connection');
});

/** The source answers nothing but 429: nothing is gained by waiting. */
const INCOMPLETE = {
  outcome: 'incomplete',
  remainingSlices: 5,
  reasons: ['out of time'],
  counts: {
    ...{ slices: 0, records: 0, requests: 1, throttled: 1, changes: 0, quarantined: 0 },
    ...{ eventsCommitted: 0, eventsPublished: 0, eventsWaiting: 0, publishFailed: 0 },
  },
};

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

/** Until the test ends. */
async function startFixture(baseUrl: string | null, path = createTemporaryFolder('data')) {
  const { machine, stop } = await openMachine(baseUrl, path);
  closes.push(stop);
  return { machine, ...startSession(machine) };
}

async function openMachine(baseUrl: string | null, path: string) {
  const folder = await openDataFolder(path);
  let machine: Machine;
  try {
    machine = await startMachine({
      run: optionsFor(baseUrl),
      folder,
      assembly: async () => writePollAssembly(),
      environment: { PATH: process.env.PATH },
      show: async () => {},
    });
  } catch (error) {
    folder.release();
    throw error;
  }
  const stop = async () => {
    await machine.stop();
    folder.release();
  };
  return { machine, stop };
}

function startSession(machine: Machine) {
  const said: string[] = [];
  const notes = { say: (text: string) => void said.push(text), progress: () => {} };
  const stopping = new AbortController().signal;
  return { said, session: createSession({ machine, notes, stats: createRunStats(), stopping }) };
}

async function startSource(plan: Planner) {
  const source = await startFixtureSource(plan);
  closes.unshift(async () => source.close());
  return source;
}
