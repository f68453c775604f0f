import type { SourceErrorCode } from '../errors.ts';

/** First wait before a failed request is sent again, in milliseconds; doubles with every further try. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 20_000;

/** Requests sent for one question at most, the first one included. Everything not named here is asked once. */
const MAX_TRIES: Partial<Record<SourceErrorCode, number>> = {
  source_throttled: 5,
  source_failed: 5,
  source_unreachable: 5,
  // Once more may find the conflict over, or the answer whole; after that it is for the next poll.
  source_conflict: 2,
  source_bad_response: 2,
};

/** A request that hangs is sent so often at most: it cost the whole time of one each time. */
const MAX_TIMED_OUT_TRIES = 2;

/** Retries in stock at the beginning and at most; every question earns a fifth of one. */
const FULL_BUDGET = 10;
const EARNED = 0.2;

/**
 * What may be spent on retries: about one for five questions, and a small reserve. Keeps a failing source from
 * being asked several times as much as a healthy one.
 */
export interface RetryBudget {
  readonly retries: number;
}

export const FULL_RETRY_BUDGET: RetryBudget = { retries: FULL_BUDGET };

/** The budget after one more question. */
export function earnRetry(budget: RetryBudget): RetryBudget {
  return { retries: Math.min(FULL_BUDGET, budget.retries + EARNED) };
}

/** What to do after a failed try. */
export type NextTry =
  | { readonly outcome: 'retry'; readonly at: number; readonly budget: RetryBudget }
  | { readonly outcome: 'give_up'; readonly why: 'final' | 'tries' | 'budget' | 'deadline' };

/** A failed try: what it met, how often this question was asked, and what bounds it. Instants in milliseconds. */
export interface FailedTry {
  readonly code: SourceErrorCode;
  /** A failure that no repetition mends, whatever its code. */
  readonly final: boolean;
  /** There was no whole answer within the time of one request. */
  readonly timedOut?: boolean;
  readonly tries: number;
  readonly now: number;
  /** Earliest instant the pace allows. */
  readonly turnAt: number;
  /** Instant after which nothing may start. */
  readonly deadline: number;
  /** From 0 up to 1. */
  readonly random: number;
  readonly budget: RetryBudget;
}

/**
 * Whether and when a failed request is sent again: full jitter over a doubling wait, never before its turn, never
 * after the deadline. A throttled request waits for its turn alone, since pacing has put the wait into it.
 */
export function planNextTry(failure: FailedTry): NextTry {
  const { code, tries, now, budget } = failure;
  const maxTries = failure.final ? 1 : (MAX_TRIES[code] ?? 1);
  if (maxTries === 1) return { outcome: 'give_up', why: 'final' };
  if (tries >= (failure.timedOut ? Math.min(maxTries, MAX_TIMED_OUT_TRIES) : maxTries))
    return { outcome: 'give_up', why: 'tries' };
  if (budget.retries < 1) return { outcome: 'give_up', why: 'budget' };
  const spread = code === 'source_throttled' ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  const at = Math.max(failure.turnAt, now + failure.random * spread);
  if (at >= failure.deadline) return { outcome: 'give_up', why: 'deadline' };
  return { outcome: 'retry', at, budget: { retries: budget.retries - 1 } };
}
