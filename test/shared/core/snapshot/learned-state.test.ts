import { expect, test } from 'vitest';
import { EMPTY_FEED_STATE, feedStateSchema } from '#shared/core/snapshot/feed-state.ts';
import {
  type LearnedPace,
  learnedPaceSchema,
  MAX_THROTTLE_COST,
} from '#shared/core/snapshot/learned-state.ts';

const PACE: LearnedPace = {
  rate: 12.5,
  measured: true,
  climbed: 0,
  width: 4,
  isWidthLimited: false,
  refusalCost: 30,
  blockedUntil: 0,
  at: 1_000,
};

test.each<[string, Partial<LearnedPace>, boolean]>([
  ['as learned', {}, true],
  ['of the largest bounds', { rate: 1_000, width: 1_000, refusalCost: MAX_THROTTLE_COST }, true],
  ['of the smallest bounds', { rate: 0.001, width: 1, refusalCost: 0, blockedUntil: 0, at: 0 }, true],
  ['of a source that asked for no requests', { blockedUntil: 2_000 }, true],
  ['with a size of pages that is too large', { tooLarge: { pageSize: 1_000, at: 1_000 } }, true],
  ['with no size of pages that would do', { tooLarge: { pageSize: 0, at: 1_000 } }, false],
  ['without a rate', { rate: 0 }, false],
  ['of too high a rate', { rate: 1_001 }, false],
  ['without a request at a time', { width: 0 }, false],
  ['of too many requests at a time', { width: 1_001 }, false],
  ['of a negative cost', { refusalCost: -1 }, false],
  ['of too high a cost', { refusalCost: MAX_THROTTLE_COST + 1 }, false],
  ['blocked before 1970', { blockedUntil: -1 }, false],
  ['learned before 1970', { at: -1 }, false],
])('a stored pace %s is read: %o %s', (_, values, isRead) => {
  expect(learnedPaceSchema.safeParse({ ...PACE, ...values }).success).toBe(isRead);
});

test('how late the dates of each class are is read as it was stored', () => {
  const worst = (['hot', 'active', 'settled'] as const).map((each) => ({
    class: each,
    dates: [],
    lateMs: 1,
  }));

  expect(feedStateSchema.parse({ ...EMPTY_FEED_STATE, lag: { since: 1, worst } }).lag.worst).toEqual(worst);
});
