import * as z from 'zod';

export const MAX_REFUSAL_COST = 1_000_000;

/**
 * How much is expected of a date. `hot`: yesterday to tomorrow. `active`: past dates of an open pay period, or with
 * records to which something is still to happen, or that nobody has looked at. `settled`: everything else, dates ahead included.
 */
export const DATE_CLASSES = ['hot', 'active', 'settled'] as const;
export type DateClass = (typeof DATE_CLASSES)[number];

/** What was counted in the half hour that is under way. */
export const changeCountSchema = z.object({
  /** Half hours since 1970. */
  halfHour: z.int(),
  /** Instant since which was counted. */
  since: z.number(),
  changes: z.record(z.string(), z.number()),
  /** Open records when it began; a state of an older version lacks them until the next half hour. */
  records: z.record(z.string(), z.number()).optional(),
});
export type ChangeCount = z.output<typeof changeCountSchema>;

/**
 * What was learned of the pace a source takes, small enough to be kept beside other state and shared by processes
 * that use the same credential. Members of later versions are passed over.
 */
export const learnedPaceSchema = z.object({
  /** Requests a second the source is known to take. */
  rate: z.number().positive().max(1_000),
  /** Whether the rate was measured between refusals, and not only guessed after one. */
  measured: z.boolean(),
  /** Requests that may run at the same time. */
  width: z.int().min(1).max(1_000),
  /** Whether more at the same time were refused. */
  isWidthLimited: z.boolean(),
  /** Requests that one refusal costs, by the time the source gave nothing after it. */
  refusalCost: z.number().min(0).max(MAX_REFUSAL_COST),
  /** Until when the source asked not to be asked, ms since 1970; 0 when it did not. */
  blockedUntil: z.number().min(0),
  /** When it was learned, ms since 1970. */
  at: z.number().min(0),
});
export type LearnedPace = z.output<typeof learnedPaceSchema>;
