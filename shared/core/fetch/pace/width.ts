/**
 * The hypothesis that a source limits requests that run at the same time. A refusal speaks for it only when the
 * request ran beside more others than were ever taken before; otherwise the rate was too much.
 */

/** Requests of one credential that run at the same time at most: 20 a second at 600 ms each. */
const MAX_WIDTH = 12;
/** Where a source that nothing is known about is begun with: more in a row could be refused before the first is heard. */
const FIRST_WIDTH = 3;
/** Requests taken beside so many others before that width is proven. */
const PROOF = 6;
/** Refusals, with nothing taken beside so many others, before the width is blamed: the rate is the likelier reason. */
const EVIDENCE = 2;
/** Requests that found all places taken before one more place is tried; doubles with every try that was refused. */
const FIRST_TRY = 8;
const LATER_TRY = 100;
const MAX_TRY = 6_400;

/** What is known about how many requests may run at the same time. */
export interface WidthHypothesis {
  /** Requests that may run at the same time now. */
  readonly limit: number;
  /** So many at the same time were taken often enough. */
  readonly proven: number;
  /** Requests taken beside more others than is proven, and the least of them. */
  readonly above: number;
  readonly minAbove: number;
  /** Requests that found all places taken since the last change, and how many lead to the next try. */
  readonly full: number;
  readonly tryAfter: number;
  /** Refusals beside more others than is proven, and the least of them. */
  readonly suspected: number;
  readonly minSuspected: number;
  /** The width was found to be limited; the limit before that, to go back to when it did not help. */
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

/** A width that another process learned, and whether it found it to be limited. */
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

/** A request was taken that ran, when it began, as one of so many. */
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

/** A refusal of one of so many. */
export function suspectWidth(width: WidthHypothesis, atOnce: number): WidthHypothesis {
  if (atOnce <= width.proven) return width;
  const minSuspected = Math.min(width.minSuspected, atOnce);
  return { ...width, suspected: width.suspected + 1, minSuspected };
}

/** Whether the refusals speak against the width: enough of them, or one where the width is known to be limited. */
export function isTooWide({ suspected, before }: WidthHypothesis): boolean {
  return suspected >= (before === null ? EVIDENCE : 1);
}

/** Fewer at the same time than were refused. */
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

/** A refusal although the width was proven: narrowing it did not help, if that was tried just before. */
export function widenAgain(width: WidthHypothesis): WidthHypothesis {
  if (width.before === null || width.proven >= width.limit) return width;
  return { ...width, ...UNSUSPECTED, limit: width.before, full: 0, before: null };
}
