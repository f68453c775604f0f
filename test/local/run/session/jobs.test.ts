import { expect, test } from 'vitest';
import { createBackgroundJobs } from '#local/run/session/jobs.ts';
import type { Machine } from '#local/run/session/machine.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { eventually } from '#test/support/eventually.ts';

const MINUTE_MS = 60_000;
const CONNECTION = { name: 'main', baseUrl: 'https://acme.example', timeZone: 'UTC', secretName: 'main' };
const FEEDS = [{ name: 'timesheets', silent: false }];
const SCHEDULES = [
  { functionName: 'release', intervalMs: MINUTE_MS, input: { scope: 'due' } },
  { functionName: 'check', intervalMs: 200 * MINUTE_MS, input: {} },
  {
    functionName: 'poll',
    intervalMs: MINUTE_MS,
    input: { connection: connectionSchema.parse(CONNECTION), feeds: FEEDS },
  },
];

test('everything is released on request, due or not', async () => {
  const { jobs, invoked } = setUp();
  await jobs.releaseAll();
  expect(invoked).toEqual([['release', { scope: 'all' }]]);
});

test('schedules that do not poll begin once allowed, at intervals of the company, down to a real second', async () => {
  const { jobs, invoked } = setUp();
  const opened = Promise.withResolvers<void>();
  const repetitions = jobs.begin(opened.promise);
  await Promise.resolve();
  expect(invoked).toEqual([]);
  const openedAt = performance.now();
  opened.resolve();
  await eventually(() => expect(invoked.map(([name]) => name)).toEqual(['release', 'check', 'release']));
  expect(performance.now() - openedAt).toBeGreaterThan(950);
  for (const repetition of repetitions) repetition.stop();
  await Promise.all(repetitions.map(({ ended }) => ended));
});

test('a failure is reported once, on one line, and again when it changes', async () => {
  const failures = ['no table\nat all', 'no table\nat all', 'no queue'];
  const { jobs, said } = setUp({ failures });
  for (let times = 0; times < 3; times += 1) await jobs.releaseAll();
  expect(said).toEqual(['no table at all; its log is the.log', 'no queue; its log is the.log']);
});

test('without alerts no job is run', async () => {
  const { jobs, invoked } = setUp({ tellsPeople: false });
  await jobs.releaseAll();
  expect(jobs.begin(Promise.resolve())).toEqual([]);
  expect(invoked).toEqual([]);
});

function setUp({ failures = [], tellsPeople = true }: { failures?: string[]; tellsPeople?: boolean } = {}) {
  const invoked: [string, unknown][] = [];
  const said: string[] = [];
  const invoke = async (name: string, input: unknown) => {
    invoked.push([name, input]);
    const failure = failures.shift();
    if (failure !== undefined) throw new NotifierError('function_failed', failure);
  };
  const machine = {
    aws: { deployment: { schedules: SCHEDULES }, logFile: 'the.log', invoke },
    source: { clock: { startsAtMs: 0, anchorMs: 0, speed: 600 } },
    tellsPeople,
  } as unknown as Machine;
  const notes = { say: (text: string) => void said.push(text), progress: () => {} };
  const { signal } = new AbortController();
  return { jobs: createBackgroundJobs({ machine, notes, stopping: signal }), invoked, said };
}
