import * as z from 'zod';

const hours = z.number();
const count = z.int();

/** What a statement came to, as far as the next one is held against it. */
const figuresSchema = z.object({
  hours,
  employees: count,
  timesheets: count,
  unapproved: count,
  unprocessed: count,
});
export type StatementFigures = z.output<typeof figuresSchema>;

/**
 * Which timesheets a count was of. `own`: all of the period, and no others; `dates`: all on its dates, other calendars
 * included; `part`: dates or members were missing. Two counts are compared timesheet by timesheet where both are `own`,
 * or both `dates`.
 */
const basisSchema = z.enum(['own', 'dates', 'part']);
export type CountBasis = z.output<typeof basisSchema>;

/** The latest count of a pay period. */
const latestCountSchema = z.object({
  hours,
  basis: basisSchema,
  /** Name of the ledger of this count, which holds the hours of each timesheet. */
  ledger: z.string(),
  /** False once a ledger was not at hand: hours still add up, but the number of changed timesheets is not known. */
  exact: z.boolean(),
});

/** What the row of a pay period remembers from one statement to the next. Append only: stored as JSON. */
export const statementMemorySchema = z.object({
  /** Closings with a statement so far. */
  closings: count,
  /** Hours at the first of them. */
  closedHours: hours,
  /** The statement of the last closing; null before the first. */
  last: figuresSchema.nullable(),
  count: latestCountSchema.nullable(),
  /** Hours from `closedHours` to the latest count, by reason. */
  moved: z.object({ late: hours, reopened: hours, recounted: hours }),
  /**
   * The statement that is due: that of a closing that could not be counted yet, the final one, or one that corrects a
   * final one which differed from the source.
   */
  awaits: z.enum(['closing', 'final', 'correction']).nullable(),
  /** When the last closing was seen, in milliseconds since 1970. */
  closedAt: z.number(),
  /** What the closing that awaits its statement was published to come to, from looks that began before it was seen. */
  told: figuresSchema.optional(),
  /** Since when nothing but the totals of the source stands against the final statement. */
  differsSince: z.number().optional(),
});
export type StatementMemory = z.output<typeof statementMemorySchema>;

/** Whether a statement is due that no change of the record will bring. */
export function awaitsStatement({ statement }: { readonly statement?: StatementMemory }): boolean {
  return statement !== undefined && statement.awaits !== null;
}
