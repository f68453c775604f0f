/**
 * The hypothesis that a source limits requests a second. Rates are requests a second, waits are milliseconds.
 *
 * Two episodes of requests that each end in a refusal tell what the limiter gave in between, whatever it is made of.
 * From a share below that rate the ceiling climbs along a cubic curve: fast up to it, flat around it, and faster
 * again beyond, when the source evidently takes more. How long the flat part is depends on what a refusal costs.
 */

/** The ceiling begins this far below the rate that was measured, and further below one that was guessed. */
const MARGIN = 0.05;
/** A rate is guessed from the first refusal: what was saved up before it hides the rate behind it. */
const FIRST_CUT = 0.5;
/** Later refusals that come too early to measure anything, or after a pause in which a limiter may have saved up. */
const GUESSED_CUT = 0.8;
/** Requests of an episode before its rate means something. */
const MEASURABLE = 5;
/** An episode this long is measured well, whatever was saved up before it. */
const LONG_EPISODE_MS = 60_000;
/** Share of waiting above which it is doubted: some limiters save up meanwhile, others do not. */
const DOUBTFUL_WAIT = 0.1;
/** Two episodes of lengths that differ by this factor tell what is saved up from what flows. */
const TELLING_FACTOR = 1.3;
/** A long episode is measured in spite of the wait when the comparison says nearly the same as what was sent. */
const SURE_SHARE = 0.95;
/** The average of an episode has the slower beginning of the curve in it. */
const CURVE_AVERAGE = 1.015;
/** Requests until the ceiling is back at the rate: so many times the requests that one refusal costs, and bounds. */
const PLATEAU = { measured: 60, min: 40, given: 100, minMeasured: 200, max: 15_000 } as const;
/** So many plateaus after the last refusal the climb is so steep that the average of an episode says little. */
const CLIMBED = 2.5;
/** Slowest pace, so that a source that refuses everything is still asked now and then. */
const MIN_PER_SECOND = 0.1;

/** Requests between the first that was taken after a refusal and the next refusal. */
export interface Episode {
  /** Requests before the one that was refused. */
  readonly requests: number;
  /** From the first of them to the one that was refused. */
  readonly activeMs: number;
  /** It began right after a refusal, so that what was saved up is known to be little. */
  readonly anchored: boolean;
}

/** What is known about the rate. */
export interface RateHypothesis {
  readonly maxPerSecond: number;
  /** The rate the source is believed to take; the most that is allowed while nothing was refused. */
  readonly target: number;
  /** `guessed` until two refusals measured it. */
  readonly knowledge: 'none' | 'guessed' | 'measured';
  /** Requests that one refusal costs. */
  readonly refusalCost: number;
  /** Requests taken as early as the ceiling allowed since the last refusal, and how many lead back to the target. */
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
    refusalCost: 0,
    steps: 0,
    plateau: PLATEAU.min,
    previous: null,
  };
}

/** A rate that another process learned. */
export function resumeRate(
  rate: RateHypothesis,
  learned: { readonly rate: number; readonly measured: boolean; readonly refusalCost: number },
): RateHypothesis {
  const { measured, refusalCost } = learned;
  const target = clamp(learned.rate, Math.min(MIN_PER_SECOND, rate.maxPerSecond), rate.maxPerSecond);
  if (!measured && target >= rate.maxPerSecond) return startRate(rate.maxPerSecond);
  const plateau = measured ? computeMeasuredPlateau(refusalCost) : PLATEAU.min;
  return { ...rate, target, knowledge: measured ? 'measured' : 'guessed', refusalCost, steps: 0, plateau };
}

/** Requests a second that are sent now at most. */
export function computeCeiling({ knowledge, target, steps, plateau, maxPerSecond }: RateHypothesis): number {
  if (knowledge === 'none') return maxPerSecond;
  const ceiling = target * (1 + MARGIN * (steps / plateau - 1) ** 3);
  return Math.min(maxPerSecond, ceiling);
}

/** One more request was taken that came as early as the ceiling allowed. */
export function climb(rate: RateHypothesis): RateHypothesis {
  return rate.knowledge === 'none' ? rate : { ...rate, steps: rate.steps + 1 };
}

/** The rate after an episode that ended in a refusal, and the wait from that refusal until a request was taken again. */
export function learnRate(rate: RateHypothesis, episode: Episode, waitMs: number): RateHypothesis {
  const { target, by } = estimate(rate, episode, waitMs);
  const bounded = clamp(target, Math.min(MIN_PER_SECOND, rate.maxPerSecond), rate.maxPerSecond);
  const refusalCost = (waitMs / 1_000) * bounded;
  return {
    ...rate,
    target: bounded,
    knowledge: by === 'measured' ? 'measured' : 'guessed',
    refusalCost,
    steps: 0,
    plateau: computePlateau(rate, episode, { by, cost: refusalCost }),
    previous: episode,
  };
}

interface Estimate {
  readonly target: number;
  /** Whether it was cut from what was too much, given for certain, told by two episodes, or measured in a long one. */
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
  // What was given for certain: the wait that follows an episode belongs to it.
  const given = (requests * 1_000) / (activeMs + waitMs);
  const by = waitMs <= DOUBTFUL_WAIT * (activeMs + waitMs) ? 'measured' : 'compared';
  if (rate.steps > CLIMBED * rate.plateau) {
    // Most of the episode was below what the source takes; the truth lies where the climb was at last.
    const before = computeCeiling({ ...rate, steps: rate.steps * 0.75 });
    return { target: Math.max(given, ((before + ceiling) / 2) * 0.98), by };
  }
  if (by === 'measured') return { target: Math.min(ceiling, ((given + sent) / 2) * CURVE_AVERAGE), by };
  const flowing = computeFlow(rate.previous, episode);
  if (flowing === null || flowing <= given) return { target: given, by: 'given' };
  const isSure = activeMs >= LONG_EPISODE_MS && flowing >= SURE_SHARE * sent;
  return { target: Math.min(flowing, sent), by: isSure ? 'measured' : by };
}

/** The rate at which two episodes differ: what was saved up before each is in both. */
function computeFlow(previous: Episode | null, episode: Episode): number | null {
  if (previous === null) return null;
  const [shorter, longer] = previous.activeMs < episode.activeMs ? [previous, episode] : [episode, previous];
  if (longer.activeMs < TELLING_FACTOR * shorter.activeMs) return null;
  return ((longer.requests - shorter.requests) * 1_000) / (longer.activeMs - shorter.activeMs);
}

/** Requests until the ceiling is back at the rate. Refusals that come too often for their cost make it longer. */
function computePlateau(
  rate: RateHypothesis,
  episode: Episode,
  { by, cost }: { by: Estimate['by']; cost: number },
): number {
  if (by === 'measured') return computeMeasuredPlateau(cost);
  if (by === 'given') return PLATEAU.given;
  const isTooOften = rate.knowledge !== 'none' && episode.requests < (PLATEAU.measured * cost) / 2;
  const longer = isTooOften ? 2 * rate.plateau : 0;
  return clamp(Math.max(cost, longer), PLATEAU.min, computeMeasuredPlateau(cost));
}

function computeMeasuredPlateau(refusalCost: number): number {
  return clamp(PLATEAU.measured * refusalCost, PLATEAU.minMeasured, PLATEAU.max);
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}
