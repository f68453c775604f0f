import type { SourceErrorCode } from '../errors.ts';
import { computeBackoff, WAITS } from '../waits.ts';

/** Tries of one request, the first one included. Failures with other codes are not retried. */
const MAX_TRIES: Partial<Record<SourceErrorCode, number>> = {
  source_throttled: WAITS.source.tries,
  source_failed: WAITS.source.tries,
  source_unreachable: WAITS.source.tries,
  // One retry may find the conflict resolved, or the answer complete; after that the next poll tries.
  source_conflict: 2,
  source_bad_response: 2,
};

/** Tries of a request that times out: each takes the whole timeout. */
const MAX_TIMED_OUT_TRIES = 2;

/** Retries at the beginning and at most; every request earns a fifth of one. */
const FULL_BUDGET = 10;
const EARNED = 0.2;

/**
 * What may be spent on retries: about one per five requests, and a small reserve. So a failing source does not get
 * several times the requests of a healthy one.
 */
export interface RetryBudget {
  readonly retries: number;
}

export const FULL_RETRY_BUDGET: RetryBudget = { retries: FULL_BUDGET };

/** The budget after one more request. */
export function earnRetry(budget: RetryBudget): RetryBudget {
  return { retries: Math.min(FULL_BUDGET, budget.retries + EARNED) };
}

/** What to do after a failed try. */
export type NextTry =
  | { readonly outcome: 'retry'; readonly at: number; readonly budget: RetryBudget }
  | { readonly outcome: 'give_up'; readonly why: 'final' | 'tries' | 'budget' | 'deadline' };

/** A failed try. Instants in milliseconds since 1970. */
export interface FailedTry {
  readonly code: SourceErrorCode;
  /** A retry cannot help, whatever the code. */
  readonly final: boolean;
  /** There was no complete answer within the timeout of one request. */
  readonly timedOut?: boolean;
  /** Tries of this request so far. */
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
 * Whether and when to retry a failed request: full jitter over a doubling wait, never before its turn, never after the
 * deadline. A throttled request only waits for its turn, which pacing has already put off.
 */
export function planNextTry(failure: FailedTry): NextTry {
  const { code, tries, now, budget } = failure;
  const maxTries = failure.final ? 1 : (MAX_TRIES[code] ?? 1);
  if (maxTries === 1) return { outcome: 'give_up', why: 'final' };
  if (tries >= (failure.timedOut ? Math.min(maxTries, MAX_TIMED_OUT_TRIES) : maxTries))
    return { outcome: 'give_up', why: 'tries' };
  if (budget.retries < 1) return { outcome: 'give_up', why: 'budget' };
  const spread = code === 'source_throttled' ? 0 : computeBackoff(tries, WAITS.source);
  const at = Math.max(failure.turnAt, now + failure.random * spread);
  if (at >= failure.deadline) return { outcome: 'give_up', why: 'deadline' };
  return { outcome: 'retry', at, budget: { retries: budget.retries - 1 } };
}
