/**
 * A clock that starts at a time of its own and runs at a speed of its own: the time of a simulated company. Real time
 * is what the process's clock says.
 */
export interface VirtualClock {
  /** What the clock shows at the anchor, milliseconds since 1970 UTC. */
  readonly startsAtMs: number;
  /** Real time at which it showed that, milliseconds since 1970 UTC. */
  readonly anchorMs: number;
  /** Virtual seconds per real second. */
  readonly speed: number;
}

/** Time that the clock shows at a real time. */
export function toVirtualTime({ startsAtMs, anchorMs, speed }: VirtualClock, realMs: number): number {
  return startsAtMs + (realMs - anchorMs) * speed;
}
