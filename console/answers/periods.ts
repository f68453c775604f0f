import * as z from 'zod';

const figuresSchema = z.object({ people: z.int(), timesheets: z.int(), hours: z.number() });

const figuresShape = {
  ...figuresSchema.shape,
  /** Approved, or processed already. */
  ready: figuresSchema,
  notReady: figuresSchema,
  /** Timesheets that are not processed. */
  unprocessed: z.int(),
};

/** A timesheet with whose and where it is. */
const ownedShape = {
  timesheetId: z.string(),
  date: z.string().nullable(),
  employeeId: z.string().nullable(),
  employee: z.string().nullable(),
  departmentId: z.string().nullable(),
  department: z.string().nullable(),
};

/** One that is not ready, or that a settled period leaves out. */
const leftOverSchema = z.object({
  ...ownedShape,
  hours: z.number(),
  /** Such as `no clock-out, no approval`. */
  missing: z.string(),
});

/** One whose ready hours are others than the period was told with. */
const changedSchema = z.object({
  ...ownedShape,
  /** Null for one that the period had not then, or has no more. */
  was: z.number().nullable(),
  now: z.number().nullable(),
  difference: z.number(),
  /** Such as `approval revoked`. */
  why: z.string(),
  /** No processing has covered it since. */
  isOpen: z.boolean(),
});
export type ChangedRow = z.output<typeof changedSchema>;

/** A pay period with what it comes to now. */
const periodRowSchema = z.object({
  connection: z.string(),
  timeZone: z.string(),
  id: z.string(),
  /** `Weekly 26 Oct - 1 Nov`. */
  title: z.string(),
  calendar: z.string(),
  startDate: z.string(),
  finishDate: z.string(),
  ...figuresShape,
  state: z.enum(['open', 'closed', 'reopened', 'settled']),
  /** The same with its time, such as `closed Mon 16 Nov 10:02`. */
  stateSays: z.string(),
  /** When an open one is to close by the config, RFC 3339; null where the config does not say. */
  closesAt: z.string().nullable(),
  /** False for one that closed before it was watched: nobody counted it then. */
  wasWatched: z.boolean(),
  /** Whether its ready hours are to be paid. */
  isToPay: z.boolean(),
  /** Whether payroll may be run, such as `Not yet: 6 not approved (45.5 h); closes today 10:30`. */
  verdict: z.string(),
  /** What is in doubt. */
  reserves: z.array(z.string()),
  /** Such as `adds up with the workforce service`; null where that is no question, or a reserve. */
  agreement: z.string().nullable(),
  /** The start of the oldest look at a date that is watched, RFC 3339; null without one. */
  countedAt: z.string().nullable(),
  /** That is from before a pause of polls. */
  isOld: z.boolean(),
  /** What changed since it was told; null where it was not, or that is not known. */
  changes: z
    .object({
      since: z.string(),
      timesheets: z.int(),
      hours: z.number(),
      /** The largest differences. */
      listed: z.array(changedSchema),
    })
    .nullable(),
  /** How many of them are still open, and such as `2 timesheets, -5.5 h`; null where that is not known. */
  open: z.object({ timesheets: z.int(), says: z.string() }).nullable(),
  /** Prints it. */
  command: z.string(),
});
export type PeriodRow = z.output<typeof periodRowSchema>;

export interface PeriodsAnswer {
  /** What is to be paid or checked first. */
  readonly periods: readonly PeriodRow[];
  /** Such as periods that could not be counted, in words. */
  readonly troubles: readonly string[];
}

export const periodQuerySchema = z.object({
  id: z.string().min(1).max(200),
  connection: z.string().max(100),
});
export type PeriodQuery = z.output<typeof periodQuerySchema>;

export const periodCsvQuerySchema = periodQuerySchema.extend({
  /** What to pay, or what is left over. */
  file: z.enum(['pay', 'left-over']),
});
export type PeriodCsvQuery = z.output<typeof periodCsvQuerySchema>;

/** What it was told as. */
const toldSchema = z.object({
  /** RFC 3339. */
  time: z.string(),
  moment: z.enum(['closed', 'recounted', 'reopened', 'settled']),
  /** Null where there was no time to count. */
  counted: z.object({ ready: figuresSchema, notReady: figuresSchema, verdict: z.string() }).nullable(),
});

export const periodAnswerSchema = z.object({
  row: periodRowSchema,
  /** Those with most timesheets. */
  departments: z.array(
    z.object({ departmentId: z.string().nullable(), department: z.string().nullable(), ...figuresShape }),
  ),
  /** How many timesheets are left over. */
  left: z.int(),
  /** The first of them. */
  leftOver: z.array(leftOverSchema),
  told: z.array(toldSchema),
});
export type PeriodAnswer = z.output<typeof periodAnswerSchema>;
