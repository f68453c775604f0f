import { expect, test } from 'vitest';
import type { Deployment } from '#local/aws/template/deployment.ts';
import { createBackgroundJobs } from '#local/run/session/jobs.ts';
import type { Machine } from '#local/run/session/machine.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { eventually } from '#test/support/eventually.ts';

const MINUTE_MS = 60_000;
const RELEASE = { name: 'release', intervalMs: MINUTE_MS, input: { scope: 'due' } };
const CHECK = { name: 'check', intervalMs: 15 * MINUTE_MS, input: {} };
const POLL = {
  name: 'poll',
  intervalMs: MINUTE_MS,
  input: {
    connection: connectionOf('main', 'https://acme.example'),
    feeds: [{ name: 'timesheets', silent: false }],
  },
};

test('everything is released on request, due or not', async () => {
  const { jobs, invoked } = setUp([RELEASE, CHECK, POLL]);
  await jobs.releaseAll();
  expect(invoked).toEqual([['release', { scope: 'all' }]]);
});

test('each schedule begins once allowed, and polls are not among them', async () => {
  const { jobs, invoked } = setUp([RELEASE, CHECK, POLL]);
  const opened = Promise.withResolvers<void>();
  const repetitions = jobs.begin(opened.promise);
  await Promise.resolve();
  expect(invoked).toEqual([]);
  opened.resolve();
  await eventually(() => expect(invoked.map(([name]) => name)).toEqual(['release', 'check']));
  for (const repetition of repetitions) repetition.stop();
  await Promise.all(repetitions.map(({ ended }) => ended));
  expect(invoked).toHaveLength(2);
});

test('intervals are scaled to a fast company, down to a real second', async () => {
  const times: number[] = [];
  const hourly = { ...RELEASE, name: 'hourly', intervalMs: 20 * MINUTE_MS };
  const { jobs, invoked } = setUp([RELEASE, hourly], {
    onInvoke: () => void times.push(performance.now()),
  });
  const repetitions = jobs.begin(Promise.resolve());
  await eventually(() => expect(invoked.filter(([name]) => name === 'release')).toHaveLength(3));
  for (const repetition of repetitions) repetition.stop();
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1_900);
  expect(invoked.filter(([name]) => name === 'hourly').length).toBeLessThanOrEqual(2);
});

test('a failure is reported once, on one line, and again when it changes', async () => {
  const failures = ['no table\nat all', 'no table\nat all', 'no queue'];
  const { jobs, said } = setUp([RELEASE], {
    onInvoke: () => {
      throw new NotifierError('function_failed', failures.shift() ?? '');
    },
  });
  for (let times = 0; times < 3; times += 1) await jobs.releaseAll();
  expect(said).toEqual(['no table at all; its log is the.log', 'no queue; its log is the.log']);
});

test('without alerts no job is run', async () => {
  const { jobs, invoked } = setUp([RELEASE, CHECK], { tellsPeople: false });
  await jobs.releaseAll();
  expect(jobs.begin(Promise.resolve())).toEqual([]);
  expect(invoked).toEqual([]);
});

interface Given {
  readonly name: string;
  readonly intervalMs: number;
  readonly input: unknown;
}

function setUp(
  given: readonly Given[],
  { onInvoke = () => {}, tellsPeople = true }: { onInvoke?: () => void; tellsPeople?: boolean } = {},
) {
  const invoked: [string, unknown][] = [];
  const said: string[] = [];
  const schedules = given.map(({ name, ...rest }) => ({ logicalId: name, functionName: name, ...rest }));
  const deployment: Deployment = { functions: [], schedules, triggers: [], mailboxes: [] };
  const machine = {
    aws: {
      deployment,
      logFile: 'the.log',
      invoke: async (name: string, input: unknown) => {
        invoked.push([name, input]);
        onInvoke();
      },
    },
    source: { clock: { startsAtMs: 0, anchorMs: 0, speed: 600 } },
    tellsPeople,
  } as unknown as Machine;
  const notes = { say: (text: string) => void said.push(text), progress: () => {} };
  return {
    jobs: createBackgroundJobs({ machine, notes, stopping: new AbortController().signal }),
    invoked,
    said,
  };
}

function connectionOf(name: string, baseUrl: string) {
  return connectionSchema.parse({ name, baseUrl, timeZone: 'UTC', secretName: name });
}
