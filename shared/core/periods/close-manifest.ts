import * as z from 'zod';

/** Leftovers that are listed; beyond that only the counts include them. */
export const MAX_LEFTOVERS = 50;
/** Other periods that are listed. */
export const MAX_SHARING_PERIODS = 20;
/** Departments that are listed, those with most timesheets. */
export const MAX_DEPARTMENTS = 100;

/** Timesheets of a period whose sheets are made for people: about 10 MB. Beyond, `notifier period --csv` writes files. */
export const MAX_SHEET_TIMESHEETS = 50_000;

const text = z.string();
const spanSchema = z.strictObject({ from: text, to: text });

/** A timesheet that was not approved or not processed when its period closed, and its latest event. */
const leftoverSchema = z.strictObject({
  timesheetId: text,
  epoch: z.iso.datetime().optional(),
  sequence: z.int(),
  approved: z.boolean(),
  processed: z.boolean(),
  employeeId: text.nullable().optional(),
  departmentId: text.nullable().optional(),
  date: text.nullable().optional(),
  /** Payable hours. */
  hours: z.number().optional(),
  /** `payroll_approval` only where the period has a timesheet with one: some companies have none. */
  missing: z.array(z.enum(['approval', 'payroll_approval', 'processing'])).optional(),
});
export type Leftover = z.output<typeof leftoverSchema>;

/** The timesheets of a department, of those that the manifest counts. */
const departmentCountSchema = z.strictObject({
  departmentId: text.nullable(),
  timesheets: z.int(),
  employees: z.int(),
  hours: z.number(),
  unapproved: z.int(),
  unprocessed: z.int(),
});
export type DepartmentCount = z.output<typeof departmentCountSchema>;

/** What a period comes to: counted here, or as the source itself says (docs/source-api.md, Pay periods). */
export const periodTotalsSchema = z.strictObject({
  timesheets: z.int(),
  employees: z.int(),
  hours: z.number(),
});

/**
 * The timesheets of a pay period when it closed, counted from the snapshot: all on its dates, or, where other periods
 * share them, those that the source says are its own.
 */
export const closeManifestSchema = z.strictObject({
  /** Whether every date of the period was counted and none is in doubt. */
  complete: z.boolean(),
  /**
   * The first and the last date of the period that are not counted, since they never had a complete look or changed
   * during every count; null when there are none.
   */
  missing: spanSchema.nullable(),
  /**
   * The first and the last date of which so much was lost at once that another look has to confirm it: they are counted
   * as before the loss. Absent when there are none.
   */
  held: spanSchema.optional(),
  /**
   * Timesheets that could not be read in the last look at their date, or that its list left out without proof of their
   * removal: they count as last seen. Absent for none.
   */
  asLastSeen: z.int().optional(),
  /**
   * The first and the last date whose latest look began before the closing was seen: what changed on them just before it
   * may be missing. The statement of the closing then comes later, with newer numbers. Absent when there are none.
   */
  lookedAtBefore: spanSchema.optional(),
  /** Start of the oldest look on which the numbers are based; null when there was none. */
  asOf: z.iso.datetime().nullable(),
  timesheets: z.int(),
  employees: z.int(),
  approved: z.int(),
  unapproved: z.int(),
  processed: z.int(),
  unprocessed: z.int(),
  hoursToPay: z.number(),
  /**
   * `all`: all timesheets on the dates of the period; `asked`: those that the source says are its own, asked for each
   * employee; `partly`: the same without timesheets whose membership it did not answer.
   */
  members: z.enum(['all', 'asked', 'partly']).optional(),
  /** Timesheets on its dates that are not counted because no answer of the source says whether they are its own. */
  membersUnknown: z.int().optional(),
  /** Ids of other pay periods on these dates whose timesheets are counted too. */
  sharesDatesWith: z.array(text).max(MAX_SHARING_PERIODS),
  /** The period's own totals as the source gave them with the closing; null when it gave none. */
  source: periodTotalsSchema.nullable().optional(),
  /** Whether the numbers are those of the source; null when they cannot be compared. */
  addsUp: z.boolean().nullable().optional(),
  /** Counted here minus the totals of the source; null when they cannot be compared. */
  difference: periodTotalsSchema.nullable().optional(),
  /** Counted now minus what the closing before came to; null at the first one, or when that is not known. */
  change: periodTotalsSchema.nullable().optional(),
  /** Number of departments; those with most timesheets are listed. */
  departments: z.int().optional(),
  /** In the order of their ids. */
  byDepartment: z.array(departmentCountSchema).max(MAX_DEPARTMENTS).optional(),
  /** Timesheets that were not approved or not processed, in the order of their ids: at most 50, not approved first. */
  leftovers: z.array(leftoverSchema).max(MAX_LEFTOVERS),
});
export type CloseManifest = z.output<typeof closeManifestSchema>;
