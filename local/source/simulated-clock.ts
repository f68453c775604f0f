/** The clock of the company: real time, faster or stopped, and moved forward by hand. */
export interface SimulatedClock {
  /** Whole milliseconds since 1970; never goes back unless real time does. */
  now(): number;
  /** Moves the clock forward by simulated milliseconds. */
  advance(milliseconds: number): void;
}

export interface ClockSettings {
  /** First simulated instant, in milliseconds since 1970. */
  readonly startsAt: number;
  /** Simulated seconds per real second; 0 stops the clock. */
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
