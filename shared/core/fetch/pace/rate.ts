/**
 * The hypothesis that a source limits requests a second. Rates are in requests a second, waits in milliseconds.
 *
 * Two 429s measure the rate of the limiter between them, whatever its algorithm. The ceiling starts a share below
 * that rate and climbs along a cubic curve (as in TCP CUBIC): fast up to the rate, flat around it, and faster again
 * beyond it, where the source evidently accepts more. The flat part, the plateau, is longer the more a 429 costs.
 */

/** Share of the rate by which the ceiling starts below it. */
const MARGIN = 0.05;
/** Factor of the guess after the first 429: saved-up tokens hide the true rate. */
const FIRST_CUT = 0.5;
/** Factor after later 429s that come too early to measure, or after a pause in which tokens may be saved up. */
const GUESSED_CUT = 0.8;
/** Requests of an episode from which its rate can be measured. */
const MEASURABLE = 5;
/** An episode this long gives a good measure, whatever was saved up before it. */
const LONG_EPISODE_MS = 60_000;
/** Share of waiting above which a measure is uncertain: some limiters save up tokens meanwhile, others do not. */
const DOUBTFUL_WAIT = 0.1;
/** Two episodes whose lengths differ by this factor separate saved-up tokens from the refill rate. */
const TELLING_FACTOR = 1.3;
/** A long episode counts as measured despite the wait if the compared rate is nearly the rate sent. */
const SURE_SHARE = 0.95;
/** Correction of an episode's average rate, which includes the slower beginning of the curve. */
const CURVE_AVERAGE = 1.015;
/** Requests until the ceiling is back at the rate: `measured` times the cost of a 429, and bounds. */
const PLATEAU = { measured: 60, min: 40, given: 100, minMeasured: 200, max: 15_000 } as const;
/** A low rate that is only guessed is kept for no longer, unless 429s are costly: 40 requests would take minutes. */
const MAX_GUESSED_SECONDS = 60;
/** Plateaus after the last 429 beyond which the climb is too steep for an average to be meaningful. */
const CLIMBED = 2.5;
/** Lowest rate, so that a source that throttles everything still gets a request now and then. */
const MIN_PER_SECOND = 0.1;

/** The requests from the first accepted one after a 429 to the next 429. */
export interface Episode {
  /** Requests before the throttled one. */
  readonly requests: number;
  /** Milliseconds from the first of them to the throttled one. */
  readonly activeMs: number;
  /** It began right after a 429, so that little can have been saved up. */
  readonly anchored: boolean;
}

/** What is known about the rate. */
export interface RateHypothesis {
  readonly maxPerSecond: number;
  /** The rate that the source is believed to accept; `maxPerSecond` until the first 429. */
  readonly target: number;
  /** `guessed` until two 429s measured it. */
  readonly knowledge: 'none' | 'guessed' | 'measured';
  /** Requests that one 429 costs. */
  readonly throttleCost: number;
  /** Accepted requests since the last 429 that came as early as the ceiling allowed, and how many reach the target. */
  readonly steps: number;
  readonly plateau: number;
  /** The last episode, to be compared with the next. */
  readonly previous: Episode | null;
}

export function startRate(maxPerSecond: number): RateHypothesis {
  return {
    maxPerSecond,
    target: maxPerSecond,
    knowledge: 'none',
    throttleCost: 0,
    steps: 0,
    plateau: PLATEAU.min,
    previous: null,
  };
}

/** Continues from a rate that another process learned. `climbed`: its steps, as a share of its plateau. */
export function resumeRate(
  rate: RateHypothesis,
  learned: Pick<RateHypothesis, 'target' | 'throttleCost'> & {
    readonly measured: boolean;
    readonly climbed: number;
  },
): RateHypothesis {
  const { measured, throttleCost, climbed } = learned;
  const target = clamp(learned.target, Math.min(MIN_PER_SECOND, rate.maxPerSecond), rate.maxPerSecond);
  if (!measured && target >= rate.maxPerSecond) return startRate(rate.maxPerSecond);
  const plateau = measured ? computeMeasuredPlateau(throttleCost) : shorten(PLATEAU.min, target);
  const knowledge = measured ? 'measured' : 'guessed';
  return { ...rate, target, knowledge, throttleCost, steps: climbed * plateau, plateau };
}

/** Requests a second that may be sent now. */
export function computeCeiling({ knowledge, target, steps, plateau, maxPerSecond }: RateHypothesis): number {
  if (knowledge === 'none') return maxPerSecond;
  const ceiling = target * (1 + MARGIN * (steps / plateau - 1) ** 3);
  return Math.min(maxPerSecond, ceiling);
}

/** Raises the ceiling after an accepted request that came as early as the ceiling allowed. */
export function climb(rate: RateHypothesis): RateHypothesis {
  return rate.knowledge === 'none' ? rate : { ...rate, steps: rate.steps + 1 };
}

/** The rate after an episode. `waitMs`: from its 429 until a request was accepted again. */
export function learnRate(rate: RateHypothesis, episode: Episode, waitMs: number): RateHypothesis {
  const { target, by } = estimate(rate, episode, waitMs);
  const bounded = clamp(target, Math.min(MIN_PER_SECOND, rate.maxPerSecond), rate.maxPerSecond);
  const throttleCost = (waitMs / 1_000) * bounded;
  return {
    ...rate,
    target: bounded,
    knowledge: by === 'measured' ? 'measured' : 'guessed',
    throttleCost,
    steps: 0,
    plateau: computePlateau(rate, episode, { by, cost: throttleCost, target: bounded }),
    previous: episode,
  };
}

interface Estimate {
  readonly target: number;
  /** `cut`: a share of a rate that was too high. `given`: the least that was granted. `compared`: from two episodes. */
  readonly by: 'cut' | 'given' | 'compared' | 'measured';
}

function estimate(rate: RateHypothesis, episode: Episode, waitMs: number): Estimate {
  const { requests, activeMs, anchored } = episode;
  const ceiling = computeCeiling(rate);
  const sent = activeMs > 0 ? Math.min(ceiling, (requests * 1_000) / activeMs) : ceiling;
  const isLong = activeMs >= LONG_EPISODE_MS && requests >= MEASURABLE;
  if (isLong || (requests >= MEASURABLE && anchored)) return measure(rate, episode, { sent, waitMs });
  const cut = rate.knowledge === 'measured' ? GUESSED_CUT : FIRST_CUT;
  return { target: (requests < MEASURABLE ? ceiling : sent) * cut, by: 'cut' };
}

/** `sent` is the rate of the episode without the wait after it. */
function measure(
  rate: RateHypothesis,
  episode: Episode,
  { sent, waitMs }: { readonly sent: number; readonly waitMs: number },
): Estimate {
  const { requests, activeMs } = episode;
  const ceiling = computeCeiling(rate);
  // The least that the source granted: the wait after an episode belongs to it.
  const given = (requests * 1_000) / (activeMs + waitMs);
  const by = waitMs <= DOUBTFUL_WAIT * (activeMs + waitMs) ? 'measured' : 'compared';
  if (rate.steps > CLIMBED * rate.plateau) {
    // Most of the episode was below the accepted rate, which lies near the end of the climb.
    const before = computeCeiling({ ...rate, steps: rate.steps * 0.75 });
    return { target: Math.max(given, ((before + ceiling) / 2) * 0.98), by };
  }
  if (by === 'measured') return { target: Math.min(ceiling, ((given + sent) / 2) * CURVE_AVERAGE), by };
  const flowing = computeFlow(rate.previous, episode);
  if (flowing === null || flowing <= given) return { target: given, by: 'given' };
  const isSure = activeMs >= LONG_EPISODE_MS && flowing >= SURE_SHARE * sent;
  return { target: Math.min(flowing, sent), by: isSure ? 'measured' : by };
}

/** The rate of the difference of two episodes, in which saved-up tokens cancel out; null when too similar. */
function computeFlow(previous: Episode | null, episode: Episode): number | null {
  if (previous === null) return null;
  const [shorter, longer] = previous.activeMs < episode.activeMs ? [previous, episode] : [episode, previous];
  if (longer.activeMs < TELLING_FACTOR * shorter.activeMs) return null;
  return ((longer.requests - shorter.requests) * 1_000) / (longer.activeMs - shorter.activeMs);
}

/** Requests until the ceiling is back at the rate: more when 429s come too often for their cost. */
function computePlateau(
  rate: RateHypothesis,
  episode: Episode,
  { by, cost, target }: Estimate & { cost: number },
): number {
  if (by === 'measured') return computeMeasuredPlateau(cost);
  if (by === 'given') return PLATEAU.given;
  // At the lowest rate it is not the climb that brings them.
  const mayLengthen = rate.knowledge !== 'none' && rate.target > MIN_PER_SECOND;
  const isTooOften = mayLengthen && episode.requests < (PLATEAU.measured * cost) / 2;
  const longer = isTooOften ? 2 * rate.plateau : 0;
  const most = Math.max(PLATEAU.measured * cost, shorten(PLATEAU.minMeasured, target));
  return clamp(Math.max(cost, longer), shorten(PLATEAU.min, target), Math.min(most, PLATEAU.max));
}

/** Of a guessed rate that is low. */
function shorten(plateau: number, target: number): number {
  return Math.min(plateau, Math.max(MEASURABLE, MAX_GUESSED_SECONDS * target));
}

function computeMeasuredPlateau(throttleCost: number): number {
  return clamp(PLATEAU.measured * throttleCost, PLATEAU.minMeasured, PLATEAU.max);
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}
