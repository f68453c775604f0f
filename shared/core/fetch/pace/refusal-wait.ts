/** What a source says about its limit in an answer: nothing of it is certain to be there. */
export interface Quota {
  /** Wait it asks for. */
  readonly retryAfterMs: number | null;
  /** Requests it would still take, and how long until it counts anew. */
  readonly remaining: number | null;
  readonly resetMs: number | null;
}

/** Nothing said about the limit. */
export const NO_QUOTA: Quota = { retryAfterMs: null, remaining: null, resetMs: null };

/** Wait after the first refusal without `Retry-After`. */
export const FIRST_WAIT_MS = 1_000;
/** The same when it is only the width: the others must end. */
export const WIDTH_WAIT_MS = 250;
/** So many times that after the second, and from the third on: a blockage of a minute costs three refusals. */
const LATER_WAITS = [1, 4, 60] as const;
export const MAX_WAIT_MS = 60_000;
/** A source that asks for more than this is asked again after it: a slip there must not stop us for a year. */
export const MAX_ASKED_MS = 3_600_000;

interface Refusal {
  readonly refusals: number;
  readonly quota: Quota;
  readonly random: number;
  readonly firstWaitMs: number;
  readonly blockageMs: number;
}

/**
 * Obeys the source, and doubts it when waiting that long did not help. Without its word: most of the wait is certain,
 * since a source that has just refused must not be asked at once, the rest is jitter. An eighth of the last blockage
 * is the least, so that a blockage that is known costs three refusals at most.
 */
export function computeRefusalWait({ refusals, quota, random, firstWaitMs, blockageMs }: Refusal): number {
  const unknown = firstWaitMs * (LATER_WAITS[refusals - 1] ?? 60);
  const known = (blockageMs / 8) * 3 ** (refusals - 1);
  const own = Math.min(MAX_WAIT_MS, Math.max(unknown, known)) * (0.85 + random * 0.15);
  const asked = quota.retryAfterMs ?? (quota.remaining === 0 ? quota.resetMs : null);
  if (asked === null) return own;
  const jittered = Math.min(MAX_ASKED_MS, asked + random * Math.min(1_000, asked / 10));
  return refusals > 1 ? Math.max(jittered, own) : jittered;
}
