import * as z from 'zod';

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
  /** Requests that one refusal costs, by the time the source gave nothing after it. */
  refusalCost: z.number().min(0).max(1_000_000),
  /** Until when the source asked not to be asked, ms since 1970; 0 when it did not. */
  blockedUntil: z.number().min(0),
  /** When it was learned, ms since 1970. */
  at: z.number().min(0),
});
export type LearnedPace = z.output<typeof learnedPaceSchema>;
