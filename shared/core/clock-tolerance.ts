/** Clocks of two machines differ by less; an instant that lies further ahead was told by a wrong clock, and is none. */
export const CLOCK_TOLERANCE_MS = 60_000;
