import * as z from 'zod';

/** Times of day that one event names. */
const MAX_SUMMARIES = 50;

const outstandingSumSchema = z.strictObject({
  timesheets: z
    .int()
    .min(0)
    .describe(
      'Timesheets whose hours were added, changed or removed since the closing, approved or revoked since, and not processed since.',
    ),
  hours: z
    .number()
    .describe(
      'Hours that are to be paid for them beside what the period closed with; below zero, to be taken back.',
    ),
  complete: z
    .boolean()
    .describe('False where it is not known which timesheets were added or removed: these are not counted.'),
});
export type OutstandingSum = z.output<typeof outstandingSumSchema>;

/** What `data` of `pay_period.outstanding` has besides the members of every event about a pay period. */
export const outstandingMembers = {
  summaries: z
    .array(z.string())
    .max(MAX_SUMMARIES)
    .describe('Times of day of the daily summaries that are due: for the channels with this `dailySummary`.'),
  outstanding: outstandingSumSchema
    .nullable()
    .describe('What is still open; null where it is not known, such as when its closing was not counted.'),
};

/** What a channel got last about what is open of a pay period. */
export const reportedOpenSchema = z.object({
  /** In milliseconds since 1970. */
  at: z.number(),
  timesheets: z.int(),
  hours: z.number(),
});
export type ReportedOpen = z.output<typeof reportedOpenSchema>;

/** What an alert says of a pay period, for one line about all of them. */
export const openSchema = z.object({
  /** `Weekly 9-15 Nov`. */
  period: z.string(),
  /** Null where it is not known. */
  timesheets: z.int().nullable(),
  hours: z.number(),
  complete: z.boolean(),
  before: reportedOpenSchema.nullable(),
});
export type OpenSum = z.output<typeof openSchema>;
