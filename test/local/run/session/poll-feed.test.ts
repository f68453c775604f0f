import { describe, expect, test } from 'vitest';
import { createRunStats } from '#local/run/output/stats.ts';
import type { Machine } from '#local/run/session/machine.ts';
import { createSession, type FeedResult, pollFeed } from '#local/run/session/session.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { PollFindings } from '#shared/core/outcome/poll-findings.ts';

const MINUTE_MS = 60_000;
const CONNECTION = connectionSchema.parse({
  name: 'main',
  baseUrl: 'https://workforce.example.com',
  timeZone: 'UTC',
  secretName: 'main',
});

describe('a complete poll of a feed', () => {
  test('goes on until no slice is left', async () => {
    const { result, invocations, waitedMs } = await runPoll([
      { remainingSlices: 9 },
      { remainingSlices: 2 },
      {},
    ]);
    expect([result.outcome, invocations, waitedMs]).toEqual(['complete', 3, []]);
  });

  test('waits for a source that answers, and throttles now and then', async () => {
    const { result, invocations, waitedMs } = await runPoll([
      { remainingSlices: 9, retryInMs: 40_000, requests: 100, throttled: 1 },
      // Another feed was throttled meanwhile: nothing could be asked.
      { remainingSlices: 9, retryInMs: 20_000, requests: 0, throttled: 0 },
      {},
    ]);
    expect([result.outcome, invocations, waitedMs]).toEqual(['complete', 3, [40_000, 20_000]]);
  });

  test('waits as long as it takes on the clock of the functions', async () => {
    const { waitedMs } = await runPoll(
      [{ remainingSlices: 9, retryInMs: 40_000, requests: 2, throttled: 1 }, {}],
      10,
    );
    expect(waitedMs).toEqual([4_000]);
  });

  test.each([
    ['answers 429 to everything', { requests: 3, throttled: 3, retryInMs: MINUTE_MS }],
    ['wants to be left alone for long', { requests: 20, throttled: 1, retryInMs: MINUTE_MS + 1 }],
  ])('ends incomplete, and at once, when the source %s', async (_, throttling) => {
    const { result, invocations, waitedMs } = await runPoll([{ remainingSlices: 15, ...throttling }, {}]);
    expect([result.outcome, invocations, waitedMs]).toEqual(['incomplete', 1, []]);
  });

  test('ends incomplete after two invocations without progress', async () => {
    const { result, invocations } = await runPoll(Array.from({ length: 9 }, () => ({ remainingSlices: 4 })));
    expect([result.outcome, invocations]).toEqual(['incomplete', 3]);
  });
});

test('a list that gives no names is said, and leaves a run complete', async () => {
  const said: string[] = [];
  const refused = { ...toReport({ remainingSlices: 1 }), reasons: ['GET /employees is forbidden'] };
  const functions = [{ name: 'poll', intervalMs: MINUTE_MS, feed: 'employees', isSilent: true }];
  const machine = {
    aws: { invoke: async () => refused },
    polling: { connection: CONNECTION, functions },
    source: {},
  } as unknown as Machine;
  const { pollAll } = createSession({
    machine,
    notes: { say: (text) => void said.push(text), progress: () => {} },
    stats: createRunStats(),
    stopping: new AbortController().signal,
  });
  expect(await pollAll()).toBe('complete');
  expect(said.at(-1)).toContain('GET /employees is forbidden');
});

type Answer = Partial<Pick<PollReport, 'remainingSlices' | 'retryInMs'> & PollReport['counts']>;

interface PollRun {
  readonly result: FeedResult;
  readonly invocations: number;
  readonly waitedMs: number[];
}

async function runPoll(answers: readonly Answer[], speed = 1): Promise<PollRun> {
  const waitedMs: number[] = [];
  let invocations = 0;
  const request = { connection: CONNECTION, scope: 'window', repeatForSeconds: 0 } as const;
  const result = await pollFeed('poll', request, {
    aws: { invoke: async () => toReport(answers[invocations++] ?? {}) },
    onReport: () => {},
    sleep: async (milliseconds) => void waitedMs.push(milliseconds),
    speed,
  });
  return { result, invocations, waitedMs };
}

function toReport({ remainingSlices = 0, retryInMs, ...counts }: Answer): PollReport {
  return {
    connection: 'main',
    feed: 'timesheets',
    outcome: remainingSlices === 0 ? 'complete' : 'incomplete',
    remainingSlices,
    reasons: [],
    ...(retryInMs === undefined ? {} : { retryInMs }),
    baselined: true,
    counts: { ...new PollFindings().counts, requests: 1, throttled: 0, ...counts },
  };
}
