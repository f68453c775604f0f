const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Wait after each attempt that failed, in milliseconds. The Standard Webhooks specification proposes these. */
const RETRY_WAITS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Waits become up to this much longer, so that what failed together does not come back together. */
const JITTER = 0.1;
/** The longest wait an endpoint can ask for. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;
/** However long it has waited for others: attempts before it is given up, over more than half an hour. */
const MIN_ATTEMPTS = 4;
/** More than 75 hours: how long an endpoint may be away without losing anything. */
export const RETRY_SPAN_MS = RETRY_WAITS_MS.reduce((sum, wait) => sum + wait, 0);
/** No retry is further away than this from the attempt before it. */
export const MAX_RETRY_WAIT_MS = MAX_RETRY_AFTER_MS * (1 + JITTER);

/** An attempt that failed. Instants in milliseconds since 1970. */
export interface FailedAttempt {
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly now: number;
  /** When the event was first received for this endpoint. */
  readonly firstAt: number;
  /** What the endpoint asks for, from now; null when it does not. */
  readonly retryAfterMs: number | null;
  /** From 0 up to 1. */
  readonly random: number;
}

export type NextAttempt =
  | { readonly outcome: 'retry'; readonly at: number }
  | { readonly outcome: 'give_up' };

/**
 * When an event is tried again: by the schedule, or later when the endpoint says so. Given up when the schedule is
 * at its end, or as old as it: waiting on request, or behind others, leaves fewer attempts.
 */
export function planNextAttempt({
  attempts,
  now,
  firstAt,
  retryAfterMs,
  random,
}: FailedAttempt): NextAttempt {
  const wait = RETRY_WAITS_MS[attempts - 1];
  const isOld = attempts >= MIN_ATTEMPTS && now - firstAt > RETRY_SPAN_MS;
  if (wait === undefined || isOld) return { outcome: 'give_up' };
  const asked = Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return { outcome: 'retry', at: now + Math.max(Math.ceil(wait * (1 + JITTER * random)), asked) };
}
