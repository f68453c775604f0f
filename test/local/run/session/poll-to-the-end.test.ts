import { expect, test } from 'vitest';
import { pollToTheEnd } from '#local/run/session/session.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';

type Answer = Partial<Pick<PollReport, 'remainingSlices' | 'outcome'> & PollReport['counts']>;

const LEFT = { remainingSlices: 4 };
const SKIPPED = { outcome: 'skipped' } as const;
const many = (count: number, answer: Answer) => Array.from({ length: count }, () => answer);

/** Answers of the function one after another, what comes of them, and the waits in between in milliseconds. */
test.each<[string, readonly Answer[], PollReport['outcome'], readonly number[]]>([
  ['goes on until no slice is left', [{ remainingSlices: 9 }, LEFT, {}], 'complete', []],
  [
    'waits after one without progress',
    [LEFT, { ...LEFT, throttled: 1, requests: 9 }, {}],
    'complete',
    [20_000],
  ],
  ['ends after two without progress', many(3, LEFT), 'incomplete', [20_000]],
  ['ends at once when the source answers nothing but 429', [{ ...LEFT, throttled: 1 }], 'incomplete', []],
  [
    'waits for the lease of a run that was killed',
    [...many(3, SKIPPED), LEFT, {}],
    'complete',
    [5_000, 5_000, 5_000],
  ],
  [
    'gives up when the lease does not end',
    many(21, SKIPPED),
    'skipped',
    Array.from({ length: 20 }, () => 5_000),
  ],
])('%s', async (_, answers, outcome, waits) => {
  expect(await pollWith(answers)).toEqual({ outcome, invocations: answers.length, waits });
});

test('waits as long as it takes on the clock of the functions', async () => {
  expect((await pollWith([SKIPPED, {}], 10)).waits).toEqual([500]);
});

test.each([
  ['a whole poll reads again what moved while it was read', { freshSince: 1 }, 2, [20_000]],
  ['a scheduled one leaves it to the next', {}, 1, []],
])('%s', async (_, request, invocations, waits) => {
  expect(await pollWith([{ outcome: 'incomplete' }, {}], 1, request)).toMatchObject({ invocations, waits });
});

async function pollWith(answers: readonly Answer[], speed = 1, changes: Partial<PollRequest> = {}) {
  const waits: number[] = [];
  let invocations = 0;
  const connection = connectionSchema.parse({
    name: 'main',
    baseUrl: 'https://workforce.example.com',
    timeZone: 'UTC',
    secretName: 'main',
  });
  const { outcome } = await pollToTheEnd(
    'poll',
    { connection, feeds: [], ...changes },
    {
      aws: { invoke: async () => toReport(answers[invocations++] ?? {}) },
      onReport: () => {},
      sleep: async (milliseconds) => void waits.push(milliseconds),
      speed,
    },
  );
  return { outcome, invocations, waits };
}

function toReport({ remainingSlices = 0, outcome, ...counts }: Answer): PollReport {
  return {
    connection: 'main',
    outcome: outcome ?? (remainingSlices === 0 ? 'complete' : 'incomplete'),
    remainingSlices,
    reasons: [],
    baselined: [],
    counts: {
      ...{ slices: 1, records: 1, requests: 1, throttled: 0, changes: 0, quarantined: 0 },
      ...{ eventsCommitted: 0, eventsPublished: 0, eventsWaiting: 0, publishFailed: 0 },
      ...counts,
    },
  };
}
