import type { RateHypothesis } from './rate.ts';

/** A second unanswered request within this many requests counts as a 429. */
const DROPS_WITHIN = 50;
/** After this many suspicions in a row, each within fewer requests than this, going slower does not help. */
const NOISE = { suspicions: 4, requests: 100, ignoredFor: 2_000 } as const;
/** Unanswered requests in a row that are an outage, whatever they were taken for before. */
const OUTAGE = 8;

/** Unanswered requests: some limiters drop excess requests, and some networks drop any. `Nth`: number of a request. */
export interface Drops {
  readonly lastNth: number;
  readonly inRow: number;
  /** Drops in a row that were taken for 429s, and the rate before the first of them. */
  readonly suspicions: number;
  readonly rateBefore: RateHypothesis | null;
  readonly ignoredUntilNth: number;
}

export const NO_DROPS: Drops = {
  lastNth: Number.NEGATIVE_INFINITY,
  inRow: 0,
  suspicions: 0,
  rateBefore: null,
  ignoredUntilNth: 0,
};

/** An unanswered request, and the episode to which it belongs. */
interface Drop {
  readonly nth: number;
  /** The first request of the episode, and the last one that was sent. */
  readonly firstNth: number;
  readonly lastNth: number;
  readonly rate: RateHypothesis;
}

export interface DropVerdict {
  readonly drops: Drops;
  /** The request counts as throttled. */
  readonly isThrottled: boolean;
  /** Going slower did not help: the rate to go back to. */
  readonly restored: RateHypothesis | null;
}

/** Two unanswered requests among answered ones count as 429s, until going slower turns out not to help. */
export function judgeDrop(before: Drops, { nth, firstNth, lastNth, rate }: Drop): DropVerdict {
  const drops = countDrop(before, nth);
  const isLone = before.suspicions === 0 && nth - before.lastNth > DROPS_WITHIN;
  const isOld = nth < firstNth || nth <= before.ignoredUntilNth;
  if (isLone || isOld) return { drops, isThrottled: false, restored: null };
  const suspicions = nth - firstNth < NOISE.requests ? before.suspicions + 1 : 1;
  const rateBefore = suspicions === 1 ? rate : before.rateBefore;
  if (suspicions < NOISE.suspicions)
    return { drops: { ...drops, suspicions, rateBefore }, isThrottled: true, restored: null };
  const ignored = { suspicions: 0, rateBefore: null, ignoredUntilNth: lastNth + NOISE.ignoredFor };
  return { drops: { ...drops, ...ignored }, isThrottled: false, restored: rateBefore };
}

/** Counts an unanswered request without a verdict. */
export function countDrop(drops: Drops, nth: number): Drops {
  return { ...drops, lastNth: nth, inRow: drops.inRow + 1 };
}

/** Whether so many requests in a row went unanswered that it says nothing about the rate. */
export function isOutage({ inRow }: Drops): boolean {
  return inRow >= OUTAGE;
}
