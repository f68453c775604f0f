import { WAITS } from '../core/waits.ts';

/** Each wait is lengthened by up to this share, so that events that failed together are not retried together. */
const JITTER = 0.1;
/** Longest `Retry-After` that is honoured. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;
/** An event that waited long behind others still gets this many attempts, over more than half an hour. */
const MIN_ATTEMPTS = 4;
/** A refused event is given up after this many, in 75 hours: with an order, the later ones of its record wait for it. */
const ATTEMPTS_OF_REFUSED = 10;
/** This attempt, and any later one, comes more than half an hour after the first. */
export const ATTEMPTS_IN_HALF_AN_HOUR = MIN_ATTEMPTS;
/** More than 14 days: an endpoint that is down for less loses nothing, and nobody has to send anything again. */
export const RETRY_SPAN_MS = WAITS.webhook.waitsMs.reduce((sum, wait) => sum + wait, 0);
/** Longest time between an attempt and its retry. */
export const MAX_RETRY_WAIT_MS = MAX_RETRY_AFTER_MS * (1 + JITTER);

/** An attempt that failed. Instants in milliseconds since 1970. */
export interface FailedAttempt {
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly now: number;
  /** When the event was first received for this endpoint. */
  readonly firstAt: number;
  /** The endpoint does not take this event, whereas one that is down takes nothing. */
  readonly refused: boolean;
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
 * of the schedule, earlier if it is refused, or when the event is older than the whole schedule and has had `MIN_ATTEMPTS`.
 */
export function planNextAttempt({
  attempts,
  now,
  firstAt,
  refused,
  retryAfterMs,
  random,
}: FailedAttempt): NextAttempt {
  const wait = WAITS.webhook.waitsMs[attempts - 1];
  // The last retry comes later than the span when the waits came out long, and is made all the same.
  const isLast = attempts === WAITS.webhook.tries - 1;
  const isOld = attempts >= MIN_ATTEMPTS && !isLast && now - firstAt > RETRY_SPAN_MS;
  const isRefused = refused && attempts >= ATTEMPTS_OF_REFUSED;
  if (wait === undefined || isOld || isRefused) return { outcome: 'give_up' };
  const asked = Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return { outcome: 'retry', at: now + Math.max(Math.ceil(wait * (1 + JITTER * random)), asked) };
}
