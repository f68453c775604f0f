import { expect, test } from 'vitest';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import { PollPeriods } from '#shared/period/flow/read-account.ts';
import { hint, MINUTE_MS, NOW, PAY_PERIODS } from '#test/support/builders.ts';

test('a closing was first seen by the look that showed it, if one before showed the period open', () => {
  const look = { requestedAt: NOW - 2, receivedAt: NOW - 1 };
  const closedAt = (known: object) => {
    const run = {
      ...{ feed: PAY_PERIODS, startedAt: NOW, connection: { timeZone: 'UTC' } },
      ...{ ports: { clock: { now: () => NOW } }, state: { ...EMPTY_FEED_STATE, ...known } },
    } as unknown as PollRun;
    return new PollPeriods([{ ...hint({ closed: true }), look }], run).closedAt(hint().id);
  };
  expect(closedAt({ payPeriods: [hint()], payPeriodsAt: NOW - MINUTE_MS })).toBe(look.receivedAt);
  expect(closedAt({ payPeriods: [] })).toBeNull();
});
