/** How something that failed is tried again. */
export interface Wait {
  /** Before the second try, in milliseconds; longer with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Who tries again, after how long at first and at most, and how often: `tries` counts the first one; without it until
 * it succeeds, or nobody wants it any more. A wait doubles with each try unless it says otherwise; whoever has company
 * waits a random part of it, so that not all come back at once.
 */
export const WAITS = {
  /** A request to the table that was throttled, or contended by another transaction: short, since a poll waits for it. */
  table: { firstMs: 50, maxMs: 2 * SECOND_MS, tries: 8 },
  /** Messages that SNS did not take: the outbox keeps them for the next poll. */
  topic: { firstMs: 100, maxMs: 3 * SECOND_MS, tries: 5 },
  /** A request to the source that failed: what a poll cannot read, the next one can. */
  source: { firstMs: 500, maxMs: 20 * SECOND_MS, tries: 3 },
  /** A slice that the source fails to list while it lists others; at most some of its cadences. */
  unreadableSlice: { firstMs: MINUTE_MS, maxMs: 30 * MINUTE_MS },
  /** A slice that moved while it was read. */
  movingSlice: { firstMs: 20 * SECOND_MS, maxMs: 20 * SECOND_MS },
  /**
   * An event that a webhook did not accept: the waits that the Standard Webhooks specification proposes, and then a try a
   * day, until two weeks have passed.
   */
  webhook: {
    firstMs: 5 * SECOND_MS,
    maxMs: DAY_MS,
    tries: 21,
    waitsMs: [
      5 * SECOND_MS,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      ...[2, 5, 10, 14, 20].map((hours) => hours * HOUR_MS),
      ...Array<number>(12).fill(DAY_MS),
    ],
  },
  /** A message that Slack or Teams wants later without saying when: after this its queue delivers it again. */
  chat: {
    firstMs: 2 * SECOND_MS,
    maxMs: 20 * SECOND_MS,
    tries: 4,
    waitsMs: [2 * SECOND_MS, 8 * SECOND_MS, 20 * SECOND_MS],
  },
} as const satisfies Record<string, Wait & { readonly tries?: number; readonly waitsMs?: readonly number[] }>;

/** Wait after a number of failed tries, from 1: `firstMs`, doubled with every further try, at most `maxMs`. */
export function computeBackoff(tries: number, { firstMs, maxMs }: Wait): number {
  return Math.min(maxMs, firstMs * 2 ** (tries - 1));
}
