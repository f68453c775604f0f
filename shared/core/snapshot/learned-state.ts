import * as z from 'zod';

/** Bound of `refusalCost`, in requests. */
export const MAX_THROTTLE_COST = 1_000_000;
/** Bound of `climbed`: any rate is at the most allowed by then. */
export const MAX_CLIMBED = 1_000;

/**
 * How much change is expected on a date. `hot`: yesterday to tomorrow. `active`: past dates of an open pay period,
 * with unsettled records, or never scanned. `settled`: all others, future dates included.
 */
export const DATE_CLASSES = ['hot', 'active', 'settled'] as const;
export type DateClass = (typeof DATE_CLASSES)[number];

/** Changes counted in the current half hour. */
export const changeCountSchema = z.object({
  /** Half hours since 1970. */
  halfHour: z.int(),
  /** When counting began, ms since 1970. */
  since: z.number(),
  changes: z.record(z.string(), z.number()),
  /** Unsettled records when it began. */
  records: z.record(z.string(), z.number()),
});
export type ChangeCount = z.output<typeof changeCountSchema>;

/**
 * The pace, and the size of pages, that a source was found to accept. The pace is shared by processes that use the same
 * credential. Unknown members are ignored.
 */
export const learnedPaceSchema = z.object({
  /** Requests a second that the source accepts. */
  rate: z.number().positive().max(1_000),
  /** Whether the rate was measured between two 429s; false when it was guessed after one. */
  measured: z.boolean(),
  /** Requests that the source took since the last 429, as a share of those after which the rate is tried to the full. */
  climbed: z.number().min(0).max(MAX_CLIMBED),
  /** Requests that may run at the same time. */
  width: z.int().min(1).max(1_000),
  /** Whether more concurrent requests were throttled. */
  isWidthLimited: z.boolean(),
  /** Requests that one 429 costs: the rate times the time for which the source throttled. */
  refusalCost: z.number().min(0).max(MAX_THROTTLE_COST),
  /** Until when the source asked for no requests, ms since 1970; 0 when it did not. */
  blockedUntil: z.number().min(0),
  /** The smallest page size that failed where a smaller one worked, and when that was found, ms since 1970. */
  tooLarge: z.object({ pageSize: z.int().min(1), at: z.number().min(0) }).optional(),
  /** When it was learned, ms since 1970. */
  at: z.number().min(0),
});
export type LearnedPace = z.output<typeof learnedPaceSchema>;
