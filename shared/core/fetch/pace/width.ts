/**
 * The hypothesis that a source limits concurrent requests. A 429 counts for it only if the request ran beside more
 * others than were ever accepted before; otherwise the rate was too high.
 */

/** Concurrent requests of one credential: 20 a second at 600 ms each. */
const MAX_WIDTH = 12;
/** Width for an unknown source: with more, several could be throttled before the first answer comes. */
const FIRST_WIDTH = 3;
/** Requests that must be accepted at a width before it is proven. */
const PROOF = 6;
/** 429s at an unproven width before the width is blamed: the rate is the likelier reason. */
const EVIDENCE = 2;
/** Requests at full width before one more is tried: at first, and after a throttled try, doubling up to the bound. */
const FIRST_TRY = 8;
const LATER_TRY = 100;
const MAX_TRY = 6_400;

/** What is known about how many requests may run at the same time. */
export interface WidthHypothesis {
  /** Concurrent requests that are allowed now. */
  readonly limit: number;
  /** The width at which enough requests were accepted. */
  readonly proven: number;
  /** Requests accepted above the proven width, and the smallest width among them. */
  readonly above: number;
  readonly minAbove: number;
  /** Requests at full width since the last change, and how many lead to the next try. */
  readonly full: number;
  readonly tryAfter: number;
  /** 429s above the proven width, and the smallest width among them. */
  readonly suspected: number;
  readonly minSuspected: number;
  /** The limit before it was narrowed, to go back to if that did not help; null when it is not narrowed. */
  readonly before: number | null;
}

export function startWidth(): WidthHypothesis {
  return {
    limit: FIRST_WIDTH,
    proven: 1,
    above: 0,
    minAbove: MAX_WIDTH,
    full: 0,
    tryAfter: FIRST_TRY,
    suspected: 0,
    minSuspected: MAX_WIDTH,
    before: null,
  };
}

/** Continues from a width that another process learned. */
export function resumeWidth(
  width: WidthHypothesis,
  learned: { readonly width: number; readonly isLimited: boolean },
): WidthHypothesis {
  const limit = Math.min(MAX_WIDTH, Math.max(1, learned.width));
  const resumed = { ...width, ...UNSUSPECTED, limit, proven: limit, full: 0 };
  return learned.isLimited
    ? { ...resumed, tryAfter: LATER_TRY, before: Math.min(MAX_WIDTH, limit + 1) }
    : { ...resumed, tryAfter: FIRST_TRY, before: null };
}

/** Records an accepted request that began as one of `atOnce`. */
export function recordWidthAnswer(width: WidthHypothesis, atOnce: number): WidthHypothesis {
  const proof = atOnce > width.proven ? prove(width, atOnce) : width;
  if (atOnce < width.limit) return proof;
  const full = proof.full + 1;
  if (full < proof.tryAfter || proof.limit >= MAX_WIDTH) return { ...proof, full };
  return { ...proof, full: 0, limit: proof.limit + 1 };
}

function prove(width: WidthHypothesis, atOnce: number): WidthHypothesis {
  const above = width.above + 1;
  const minAbove = Math.min(width.minAbove, atOnce);
  if (above < PROOF) return { ...width, above, minAbove };
  return { ...width, ...UNSUSPECTED, proven: minAbove };
}

const UNSUSPECTED = { above: 0, minAbove: MAX_WIDTH, suspected: 0, minSuspected: MAX_WIDTH } as const;

/** Records a throttled request that began as one of `atOnce`. */
export function suspectWidth(width: WidthHypothesis, atOnce: number): WidthHypothesis {
  if (atOnce <= width.proven) return width;
  const minSuspected = Math.min(width.minSuspected, atOnce);
  return { ...width, suspected: width.suspected + 1, minSuspected };
}

/** Whether to blame the width: after enough 429s, or after one if it was limited before. */
export function isTooWide({ suspected, before }: WidthHypothesis): boolean {
  return suspected >= (before === null ? EVIDENCE : 1);
}

/** Limits the width to less than was throttled. */
export function narrow(width: WidthHypothesis): WidthHypothesis {
  return {
    ...width,
    ...UNSUSPECTED,
    limit: Math.max(1, Math.min(width.limit, width.minSuspected - 1)),
    full: 0,
    tryAfter: Math.min(MAX_TRY, Math.max(LATER_TRY, width.tryAfter * 2)),
    before: width.before ?? width.limit,
  };
}

/** Undoes `narrow` after a 429 at the proven width: narrowing did not help. */
export function widenAgain(width: WidthHypothesis): WidthHypothesis {
  if (width.before === null || width.proven >= width.limit) return width;
  return { ...width, ...UNSUSPECTED, limit: width.before, full: 0, before: null };
}
