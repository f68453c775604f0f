/** Clocks of two machines differ by less. */
export const CLOCK_TOLERANCE_MS = 60_000;

/**
 * The rule for every instant that was stored or remembered: one ahead of now by more than the tolerance came from a
 * wrong clock, and is as if it were unknown. `plannedMs`: how far ahead it was put on purpose at most, such as the end
 * of a wait. All in milliseconds, instants since 1970.
 */
export function isMisdated(at: number, now: number, plannedMs = 0): boolean {
  return at > now + plannedMs + CLOCK_TOLERANCE_MS;
}

/** Whether what was taken or put off until an instant still is: never longer than such things last. */
export function stillLasts(until: number, now: number, longestMs: number): boolean {
  return until > now && !isMisdated(until, now, longestMs);
}
