import { describe, expect, test } from 'vitest';
import { SOURCE_ERROR_CODES } from '#shared/core/errors.ts';
import {
  earnRetry,
  type FailedTry,
  FULL_RETRY_BUDGET,
  planNextTry,
} from '#shared/core/fetch/retry-schedule.ts';

const FAILED: FailedTry = {
  code: 'source_failed',
  final: false,
  tries: 1,
  now: 1_000_000,
  turnAt: 0,
  deadline: Number.POSITIVE_INFINITY,
  random: 0.5,
  budget: FULL_RETRY_BUDGET,
};

describe('a failed request', () => {
  test('is asked so many times in all', () => {
    const asked = SOURCE_ERROR_CODES.map((code) => {
      let tries = 1;
      while (planNextTry({ ...FAILED, code, tries }).outcome === 'retry') tries += 1;
      return [code, tries];
    });

    expect(Object.fromEntries(asked)).toEqual({
      source_bad_request: 1,
      source_unauthorised: 1,
      source_forbidden: 1,
      source_not_found: 1,
      source_conflict: 2,
      source_throttled: 5,
      source_failed: 5,
      source_unreachable: 5,
      source_bad_response: 2,
      source_redirected: 1,
      source_too_large: 1,
    });
  });

  test('that hung is asked twice in all, so that one hanging date does not eat a poll', () => {
    const hung = { ...FAILED, code: 'source_unreachable', timedOut: true } as const;

    expect(planNextTry({ ...hung, tries: 1 }).outcome).toBe('retry');
    expect(planNextTry({ ...hung, tries: 2 })).toEqual({ outcome: 'give_up', why: 'tries' });
  });

  test('waits somewhere between nothing and a doubling time', () => {
    const waits = [1, 2, 3, 4].map((tries) =>
      [0, 0.5, 1].map((random) => {
        const next = planNextTry({ ...FAILED, tries, random });
        return next.outcome === 'retry' ? next.at - FAILED.now : null;
      }),
    );

    expect(waits).toEqual([
      [0, 250, 500],
      [0, 500, 1_000],
      [0, 1_000, 2_000],
      [0, 2_000, 4_000],
    ]);
  });

  test('never comes before its turn', () => {
    expect(planNextTry({ ...FAILED, turnAt: FAILED.now + 9_000 })).toMatchObject({ at: FAILED.now + 9_000 });
  });

  test('that was throttled waits for its turn alone', () => {
    const turnAt = FAILED.now + 70;

    expect(planNextTry({ ...FAILED, code: 'source_throttled', turnAt, tries: 4 })).toMatchObject({
      at: turnAt,
    });
  });

  test.each<[string, Partial<FailedTry>, string]>([
    ['that nothing can mend', { final: true }, 'final'],
    ['that was refused', { code: 'source_forbidden' }, 'final'],
    ['that was asked often enough', { tries: 5 }, 'tries'],
    ['when too much was spent already', { budget: { retries: 0.99 } }, 'budget'],
    ['when its turn comes at the deadline', { turnAt: 2_000_000, deadline: 2_000_000 }, 'deadline'],
  ])('%s is given up', (_when, failure, why) => {
    expect(planNextTry({ ...FAILED, ...failure })).toEqual({ outcome: 'give_up', why });
  });
});

describe('the budget', () => {
  test('loses one for every retry', () => {
    expect(planNextTry(FAILED)).toMatchObject({ budget: { retries: 9 } });
  });

  test('earns a fifth for every question, up to what it was', () => {
    expect(earnRetry({ retries: 3 })).toEqual({ retries: 3.2 });
    expect(earnRetry({ retries: 9.9 })).toEqual(FULL_RETRY_BUDGET);
    expect(earnRetry(FULL_RETRY_BUDGET)).toEqual(FULL_RETRY_BUDGET);
  });
});
