import * as z from 'zod';
import { closeManifestSchema, MAX_SHARING_PERIODS } from './close-manifest.ts';

/** Timesheets that are listed; beyond that only the counts include them. */
export const MAX_WAITING = 50;
/** Departments that are listed, those with most timesheets to approve. */
export const MAX_WAITING_DEPARTMENTS = 100;

/** Times of day that one event names. */
const MAX_SUMMARIES = 50;

const text = z.string();
const instant = z.iso.datetime();
const count = z.int().min(0);

/** A timesheet that is not approved, and its latest event. */
const waitingTimesheetSchema = z.strictObject({
  timesheetId: text,
  epoch: instant.optional(),
  sequence: z.int(),
  employeeId: text.nullable(),
  departmentId: text.nullable(),
  date: text.nullable(),
  /** Payable hours so far. */
  hours: z.number(),
  /** `clock_out`: clocked in and not out. */
  missing: z.array(z.enum(['clock_out', 'approval'])),
});
export type WaitingTimesheet = z.output<typeof waitingTimesheetSchema>;

/** A department with timesheets that are not approved. */
const waitingDepartmentSchema = z.strictObject({
  departmentId: text.nullable(),
  timesheets: count,
  unapproved: count,
  unapprovedEmployees: count,
  /** Payable hours of those that are not approved. */
  unapprovedHours: z.number(),
});
export type WaitingDepartment = z.output<typeof waitingDepartmentSchema>;

/** How far the timesheets of an open pay period are, counted from the snapshot, of the dates that are over. */
const readinessSchema = z.strictObject({
  through: text.describe('The last date that is counted: that of the period, or the last that is over.'),
  complete: z.boolean().describe('Every date was counted, and none is in doubt.'),
  missing: z
    .strictObject({ from: text, to: text })
    .nullable()
    .describe('First and last date without a complete look; null for none.'),
  held: closeManifestSchema.shape.held.describe(
    'First and last date that lost so much at once that another look has to confirm it: counted as before. Absent for none.',
  ),
  asOf: instant.nullable().describe('Start of the oldest look that is counted.'),
  members: z
    .enum(['all', 'asked', 'partly'])
    .describe(
      '`all`: all on the dates of the period; `asked`: those that the source says are its own; `partly`: without those of which it did not say it.',
    ),
  membersUnknown: count.describe(
    'Timesheets that are not approved, nor counted, since it is not known whether they are its own.',
  ),
  sharesDatesWith: z
    .array(text)
    .max(MAX_SHARING_PERIODS)
    .describe('Other pay periods whose timesheets on these dates are counted too.'),
  timesheets: count,
  employees: count,
  approved: count,
  unapproved: count,
  unapprovedEmployees: count,
  unapprovedHours: z.number().describe('Payable hours of those that are not approved.'),
  hoursToPay: z.number(),
  payrollUnapproved: count
    .nullable()
    .describe('Approved ones that wait for payroll; null where the period has none that payroll approved.'),
  departments: count.describe('Number of departments with timesheets that are not approved.'),
  byDepartment: z
    .array(waitingDepartmentSchema)
    .max(MAX_WAITING_DEPARTMENTS)
    .describe('Departments with timesheets that are not approved, in the order of their ids.'),
  waiting: z
    .array(waitingTimesheetSchema)
    .max(MAX_WAITING)
    .describe('Timesheets that are not approved: at most 50, the oldest dates first.'),
});
export type Readiness = z.output<typeof readinessSchema>;

const stillOpenSchema = z.strictObject({
  payPeriods: count,
  timesheets: count.describe(
    'Timesheets that were added, changed, removed, approved or revoked since the closing, and not processed since.',
  ),
  hours: z
    .number()
    .describe('Hours to pay for them beside what the periods closed with; below zero, to take back.'),
  complete: z.boolean().describe('False where a period could not be compared with all of its closing.'),
});
export type StillOpen = z.output<typeof stillOpenSchema>;

/** What `data` of `pay_period.readiness` has besides the members of every event about a pay period. */
export const readinessMembers = {
  deadline: instant
    .nullable()
    .describe('When the period is to close; null for a calendar without a deadline.'),
  reminder: z
    .strictObject({ before: text.describe('As in the config, such as `4h`.'), at: instant })
    .nullable()
    .describe('The reminder that is due; null when only a daily summary is.'),
  summaries: z.array(text).max(MAX_SUMMARIES).describe('The `dailySummary` times that are due.'),
  readiness: readinessSchema.describe('How far its timesheets are, on the days that are over.'),
  stillOpen: stillOpenSchema
    .nullable()
    .describe(
      'What is still open of closed pay periods of its calendar: with a daily summary, in one open period of the calendar; null for nothing.',
    ),
};
