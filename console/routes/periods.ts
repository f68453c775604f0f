import * as z from 'zod';

const closingSchema = z.object({
  /** When the closing was seen, RFC 3339. */
  at: z.string(),
  /** Null when there was no time to count. */
  hours: z.number().nullable(),
  unapproved: z.int().nullable(),
  unprocessed: z.int().nullable(),
  addsUp: z.boolean().nullable(),
});

const stillOpenSchema = z.object({
  timesheetId: z.string(),
  employeeId: z.string().nullable(),
  employee: z.string().nullable(),
  department: z.string().nullable(),
  date: z.string().nullable(),
  /** Hours to pay, or below zero to take or hold back. */
  difference: z.number(),
  /** Such as `changed 7.5 to 8 h`. */
  words: z.string(),
});

/** A pay period with what it comes to now. */
const periodRowSchema = z.object({
  connection: z.string(),
  timeZone: z.string(),
  id: z.string(),
  calendar: z.string(),
  startDate: z.string(),
  finishDate: z.string(),
  /** Null while it is open. */
  closed: z.string().nullable(),
  /** When it closes by the config, RFC 3339; null where the config does not say. */
  deadline: z.string().nullable(),
  timesheets: z.int(),
  employees: z.int(),
  hours: z.number(),
  approved: z.int(),
  processed: z.int(),
  /** Not approved or not processed, each once. */
  leftOver: z.int(),
  /** Closed, and its final statement was published. */
  settled: z.boolean(),
  /** Dates that were never read completely, so that the numbers lack them. */
  missing: z.object({ from: z.string(), to: z.string() }).nullable(),
  /** Other calendars cover the same dates, and their timesheets are counted here too. */
  sharesDates: z.boolean(),
  closings: z.array(closingSchema),
  /** What changed since it closed, and is not processed; null where that is not known. */
  stillOpen: z.array(stillOpenSchema).nullable(),
  /** Prints its statement. */
  command: z.string(),
});
export type PeriodRow = z.output<typeof periodRowSchema>;

export const periodsAnswerSchema = z.object({
  /** The most urgent first. */
  periods: z.array(periodRowSchema),
  /** Such as periods that could not be counted, in words. */
  troubles: z.array(z.string()),
  /** RFC 3339: when the numbers were read. */
  readAt: z.string(),
});
export type PeriodsAnswer = z.output<typeof periodsAnswerSchema>;

export const periodQuerySchema = z.object({
  id: z.string().min(1).max(200),
  connection: z.string().max(100),
});
export type PeriodQuery = z.output<typeof periodQuerySchema>;

export const periodCsvQuerySchema = periodQuerySchema.extend({
  department: z.string().max(200).optional(),
  /** What to pay, or what is left over, with names: as a channel with `files` has it. */
  sheet: z.enum(['pay', 'left-over']).optional(),
});
export type PeriodCsvQuery = z.output<typeof periodCsvQuerySchema>;

const sumsSchema = z.object({
  timesheets: z.int(),
  hours: z.number(),
  unapproved: z.int(),
  unprocessed: z.int(),
});

export const periodTimesheetSchema = z.object({
  id: z.string(),
  date: z.string().nullable(),
  employeeId: z.string().nullable(),
  employee: z.string().nullable(),
  departmentId: z.string().nullable(),
  department: z.string().nullable(),
  hours: z.number(),
  approved: z.boolean(),
  payrollApproved: z.boolean(),
  processed: z.boolean(),
});
export type PeriodTimesheet = z.output<typeof periodTimesheetSchema>;

export const periodAnswerSchema = z.object({
  row: periodRowSchema,
  departments: z.array(sumsSchema.extend({ id: z.string().nullable(), name: z.string().nullable() })),
  /** Those with something left over. */
  people: z.array(sumsSchema.extend({ id: z.string().nullable(), name: z.string().nullable() })),
  timesheets: z.array(periodTimesheetSchema),
  readAt: z.string(),
});
export type PeriodAnswer = z.output<typeof periodAnswerSchema>;
