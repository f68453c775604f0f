import type { VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import { realNow } from '#local/aws/functions/virtual-clock.ts';

/**
 * Simulated seconds per real second while something runs. Between two minutes the clock jumps, so a minute takes as long
 * as its work; this one makes the pauses of a retry short.
 */
const SPEED = { min: 4, max: 40 } as const;
/** A poll of a source that answers takes no longer in simulated time, however busy the machine is. */
const MAX_POLL_MS = 10_000;
const MINUTE_MS = 60_000;

/** The time of a drill, for this process and those of the functions. */
export interface DrillClock {
  readonly clock: VirtualClock;
  /** Jumps to the beginning of the next minute. */
  toNextMinute(now: number): void;
  /** From the next minute on, goes at the speed that suits a poll of so many real milliseconds. */
  adaptTo(pollMs: number): void;
}

export function createDrillClock(startsAtMs: number): DrillClock {
  const clock = { startsAtMs, anchorMs: realNow(), speed: SPEED.max, scalesPauses: true } as const;
  const moving: { -readonly [Key in keyof VirtualClock]: VirtualClock[Key] } = clock;
  let speed: number = SPEED.max;
  return {
    clock,
    adaptTo: (pollMs) => {
      speed = Math.min(SPEED.max, Math.max(SPEED.min, MAX_POLL_MS / pollMs));
    },
    toNextMinute: (now) => {
      moving.startsAtMs = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
      moving.anchorMs = realNow();
      moving.speed = speed;
    },
  };
}
