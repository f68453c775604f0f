import type { RateHypothesis } from './rate.ts';

/** Requests within which a second one must go unanswered before that counts as a refusal. */
const DROPS_WITHIN = 50;
/** Suspicions in a row, each after fewer requests than this, that say that going slower does not help. */
const NOISE = { suspicions: 4, requests: 100, ignoredFor: 2_000 } as const;
/** So many unanswered requests in a row are an outage, whatever they were taken for at first. */
const OUTAGE = 8;

/** Requests that got no answer: some limiters drop what is too much, and some networks drop anything. */
export interface Drops {
  readonly lastNth: number;
  readonly inRow: number;
  /** Drops in a row that were taken for refusals, and the rate before the first of them. */
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

/** A request that got no answer, and the episode it belongs to. */
interface Drop {
  readonly nth: number;
  /** The first request since the source last took requests again, and the last one that was sent. */
  readonly firstNth: number;
  readonly lastNth: number;
  readonly rate: RateHypothesis;
}

export interface DropVerdict {
  readonly drops: Drops;
  /** It is taken for a refusal. */
  readonly isRefusal: boolean;
  /** Going slower did not help: the rate to go back to. */
  readonly restored: RateHypothesis | null;
}

/** Two unanswered requests among others that were answered are taken for refusals, until that turns out not to help. */
export function judgeDrop(before: Drops, { nth, firstNth, lastNth, rate }: Drop): DropVerdict {
  const drops = countDrop(before, nth);
  const isLone = before.suspicions === 0 && nth - before.lastNth > DROPS_WITHIN;
  const isOld = nth < firstNth || nth <= before.ignoredUntilNth;
  if (isLone || isOld) return { drops, isRefusal: false, restored: null };
  const suspicions = nth - firstNth < NOISE.requests ? before.suspicions + 1 : 1;
  const rateBefore = suspicions === 1 ? rate : before.rateBefore;
  if (suspicions < NOISE.suspicions)
    return { drops: { ...drops, suspicions, rateBefore }, isRefusal: true, restored: null };
  const ignored = { suspicions: 0, rateBefore: null, ignoredUntilNth: lastNth + NOISE.ignoredFor };
  return { drops: { ...drops, ...ignored }, isRefusal: false, restored: rateBefore };
}

/** One more unanswered request that changes nothing. */
export function countDrop(drops: Drops, nth: number): Drops {
  return { ...drops, lastNth: nth, inRow: drops.inRow + 1 };
}

/** Whether nothing was answered for so long that it says nothing about the rate. */
export function isOutage({ inRow }: Drops): boolean {
  return inRow >= OUTAGE;
}
