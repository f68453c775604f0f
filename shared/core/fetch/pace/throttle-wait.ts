import { WAITS } from '../../waits.ts';

/** What the headers of an answer say about the source's limit; null for absent ones. */
export interface Quota {
  /** `Retry-After`. */
  readonly retryAfterMs: number | null;
  /** Requests left in the current period, and the time until the next one. */
  readonly remaining: number | null;
  readonly resetMs: number | null;
}

export const NO_QUOTA: Quota = { retryAfterMs: null, remaining: null, resetMs: null };

/** Factors after the first, second and third 429: a blockage of a minute costs three 429s. */
const LATER_WAITS = [1, 4, 60] as const;
/** Longest wait that the source can ask for: a mistake there must not stop polling for a year. */
export const MAX_ASKED_MS = 3_600_000;

interface Throttling {
  readonly throttles: number;
  readonly quota: Quota;
  readonly random: number;
  readonly firstWaitMs: number;
  readonly blockageMs: number;
}

/**
 * The wait that the source asks for, or its own when longer and the last wait did not help. Without a word of the
 * source: 85 % of the wait is fixed, since the source has just throttled, and the rest is jitter. It is at least an
 * eighth of the last blockage, so that another one of that length costs three 429s at most.
 */
export function computeThrottleWait({
  throttles,
  quota,
  random,
  firstWaitMs,
  blockageMs,
}: Throttling): number {
  const unknown = firstWaitMs * (LATER_WAITS[throttles - 1] ?? 60);
  const known = (blockageMs / 8) * 3 ** (throttles - 1);
  const own = Math.min(WAITS.throttled.maxMs, Math.max(unknown, known)) * (0.85 + random * 0.15);
  const asked = quota.retryAfterMs ?? (quota.remaining === 0 ? quota.resetMs : null);
  if (asked === null) return own;
  const jittered = Math.min(MAX_ASKED_MS, asked + random * Math.min(1_000, asked / 10));
  return throttles > 1 ? Math.max(jittered, own) : jittered;
}
