/** Bounds of a wait that doubles, in milliseconds. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Wait after a number of failed tries, from 1: `firstMs`, doubled with every further try, at most `maxMs`. */
export function computeBackoff(tries: number, { firstMs, maxMs }: Backoff): number {
  return Math.min(maxMs, firstMs * 2 ** (tries - 1));
}
