/** Clocks of two machines differ by less. A stored instant further ahead came from a wrong clock and is ignored. */
export const CLOCK_TOLERANCE_MS = 60_000;
