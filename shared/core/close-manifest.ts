import * as z from 'zod';

/** Leftovers that are named one by one; beyond that their number must do. */
export const MOST_LEFTOVERS = 50;

/** A timesheet that was not approved or not processed when its period closed, and the last event we told of it. */
const leftoverSchema = z.strictObject({
  timesheetId: z.string(),
  sequence: z.int(),
  approved: z.boolean(),
  processed: z.boolean(),
});

/**
 * What stood on the dates of a pay period when it closed, counted from our own snapshot. All timesheets on those dates
 * count, whatever their calendar: the source does not say which calendar a timesheet belongs to.
 */
export const closeManifestSchema = z.strictObject({
  /** Every date of the period has been seen whole. When not, the numbers are of the dates that have been. */
  complete: z.boolean(),
  /** Dates of the period that were never seen whole, as the first and the last of them; null when there are none. */
  missing: z.strictObject({ from: z.string(), to: z.string() }).nullable(),
  /** The oldest look among those that the numbers come from; null when there was none. */
  asOf: z.iso.datetime().nullable(),
  timesheets: z.int(),
  employees: z.int(),
  approved: z.int(),
  unapproved: z.int(),
  processed: z.int(),
  unprocessed: z.int(),
  hoursToPay: z.number(),
  /** Other pay periods that share dates with this one: their timesheets are counted too. */
  sharesDatesWith: z.array(z.string()),
  /** The first 50, in order of their ids. */
  leftovers: z.array(leftoverSchema).max(MOST_LEFTOVERS),
});
export type CloseManifest = z.output<typeof closeManifestSchema>;
