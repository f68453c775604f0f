/** For each planted fault the seed of a history that catches it. */
export const CAUGHT_AT: Readonly<Record<string, number>> = {};
