import { isMisdated } from '../../clock-tolerance.ts';
import { type LearnedPace, MAX_CLIMBED, MAX_THROTTLE_COST } from '../../snapshot/learned-state.ts';
import { type Pace, startPace } from './pacing.ts';
import { resumeRate } from './rate.ts';
import { MAX_ASKED_MS } from './throttle-wait.ts';
import { resumeWidth } from './width.ts';

/** A measured rate of this age counts as a guess only; a pace of this age is ignored. */
const DOUBTED_MS = 2 * 3_600_000;
const FORGOTTEN_MS = 24 * 3_600_000;

/** The pace for other processes; `null` while nothing was learned. */
export function toLearnedPace(pace: Pace): LearnedPace | null {
  if (pace.learnedAt === null) return null;
  const { knowledge, target, throttleCost, steps, plateau } = pace.rate;
  return {
    rate: target,
    measured: knowledge === 'measured',
    climbed: Math.min(steps / plateau, MAX_CLIMBED),
    width: pace.width.limit,
    isWidthLimited: pace.width.before !== null,
    refusalCost: Math.min(throttleCost, MAX_THROTTLE_COST),
    blockedUntil: Math.max(0, pace.blockedUntil),
    at: pace.learnedAt,
  };
}

/** The pace continued from what another process learned, unless this process learned something later. */
export function resumePace(pace: Pace, learned: LearnedPace, now: number): Pace {
  const age = now - learned.at;
  if ((pace.learnedAt ?? 0) >= learned.at || isMisdated(learned.at, now) || age > FORGOTTEN_MS) return pace;
  const measured = learned.measured && age <= DOUBTED_MS;
  return {
    ...pace,
    rate: resumeRate(pace.rate, {
      ...{ target: learned.rate, measured, throttleCost: learned.refusalCost },
      // A measure that is doubted is tried from below again.
      climbed: measured === learned.measured ? learned.climbed : 0,
    }),
    width: resumeWidth(pace.width, { width: learned.width, isLimited: learned.isWidthLimited }),
    blockedUntil: Math.max(pace.blockedUntil, Math.min(learned.blockedUntil, now + MAX_ASKED_MS)),
    learnedAt: learned.at,
    episode: { since: now, firstNth: pace.sent + 1, anchored: false },
  };
}

/**
 * The pace when a clock was set back: what is known of the source stays, and every instant is forgotten. A wait that the
 * source asked for is over then, at most a 429 early.
 */
export function forgetMisdatedPace(pace: Pace, now: number): Pace {
  const { lastTurn, lastEnd, lastThrottledAt, learnedAt, blockedUntil } = pace;
  const latest = Math.max(lastTurn, lastEnd, lastThrottledAt, learnedAt ?? lastTurn);
  if (!isMisdated(latest, now) && !isMisdated(blockedUntil, now, MAX_ASKED_MS)) return pace;
  const { rate, width, sent, drops } = pace;
  const episode = { since: now, firstNth: sent + 1, anchored: false };
  return { ...startPace(1), rate, width, sent, drops, episode };
}
