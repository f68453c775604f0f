/** The time in the company: real time, or faster, or standing still, and moved on by hand. */
export interface SimulatedClock {
  /** Milliseconds since 1970, whole; never goes back while real time does not. */
  now(): number;
  /** Moves the clock on by some simulated milliseconds. */
  advance(milliseconds: number): void;
}

export interface ClockSettings {
  /** The simulated instant at which the clock starts, in milliseconds since 1970. */
  readonly startsAt: number;
  /** Simulated seconds per real second; 0 stands still. */
  readonly speed: number;
  /** The real time in milliseconds since 1970. */
  readonly realNow: () => number;
}

export function createSimulatedClock({ startsAt, speed, realNow }: ClockSettings): SimulatedClock {
  const realStart = realNow();
  let moved = 0;
  return {
    now: () => Math.floor(startsAt + (realNow() - realStart) * speed) + moved,
    advance(milliseconds) {
      moved += Math.round(milliseconds);
    },
  };
}
