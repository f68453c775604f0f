import { WAITS } from '../core/waits.ts';

/** Each wait is lengthened by up to this share, so that events that failed together are not retried together. */
const JITTER = 0.1;
/** Longest `Retry-After` that is honoured. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;
/** This attempt, and any later one, comes more than half an hour after the first. */
export const ATTEMPTS_IN_HALF_AN_HOUR = 4;
/** Longest time between an attempt and its retry. */
export const MAX_RETRY_WAIT_MS = MAX_RETRY_AFTER_MS * (1 + JITTER);

/** An attempt that failed. Instants in milliseconds since 1970. */
export interface FailedAttempt {
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly now: number;
  /** `Retry-After`, from now; null without one. */
  readonly retryAfterMs: number | null;
  /** From 0 up to 1. */
  readonly random: number;
}

/** `at`: milliseconds since 1970. */
export type NextAttempt =
  | { readonly outcome: 'retry'; readonly at: number }
  | { readonly outcome: 'give_up' };

/**
 * When an event is tried again: by the schedule, or later when the endpoint asks for it. Given up after the last retry
 * of the schedule.
 */
export function planNextAttempt({ attempts, now, retryAfterMs, random }: FailedAttempt): NextAttempt {
  const wait = WAITS.webhook.waitsMs[attempts - 1];
  if (wait === undefined) return { outcome: 'give_up' };
  const asked = Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return { outcome: 'retry', at: now + Math.max(Math.ceil(wait * (1 + JITTER * random)), asked) };
}
