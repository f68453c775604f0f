import { z } from '@hono/zod-openapi';
import { isDate } from '#shared/core/dates.ts';
import type { PayPeriod, Timesheet } from '../schemas.ts';

const id = z.string().min(1);
const date = z.string().refine(isDate, 'not a date YYYY-MM-DD');
const TWO_WEEKS_MINUTES = 20_160;

const MARKS = [
  'approve',
  'revoke-approval',
  'approve-payroll',
  'revoke-payroll-approval',
  'process',
  'revert-processing',
  'remove-clock-in',
  'remove-clock-out',
] as const;

/** Sets or clears one member of a timesheet. */
const markSchema = z.strictObject({ change: z.enum(MARKS), id });
export type MarkChange = z.output<typeof markSchema>;

/** A casual job; `start` is in minutes after local midnight, `hours` from start to finish, without a break. */
const createSchema = z.strictObject({
  change: z.literal('create'),
  /** An employee of the company; default: the first. */
  employeeId: id.optional(),
  /** Default: today. */
  date: date.optional(),
  start: z.int().min(0).max(1439).optional(),
  hours: z.number().min(0.25).max(24).optional(),
  /** Without a department and a role. */
  unassigned: z.boolean().optional(),
});
export type CreateChange = z.output<typeof createSchema>;

/** Another date, or other hours, or both; without either, half an hour more. */
const editSchema = z.strictObject({
  change: z.literal('change'),
  id,
  date: date.optional(),
  /** Payable hours after the change; the last detail and the finish go with it. */
  hours: z.number().min(0).max(24).optional(),
});
export type EditChange = z.output<typeof editSchema>;

/** Adds a clock record: now, or `variance` minutes from the schedule. */
const clockSchema = z.strictObject({
  change: z.enum(['clock-in', 'clock-out']),
  id,
  variance: z.number().min(-TWO_WEEKS_MINUTES).max(TWO_WEEKS_MINUTES).optional(),
  kiosk: z.boolean().optional(),
  beacon: z.boolean().optional(),
  overrideEmployee: z.string().nullable().optional(),
  overrideOrganisation: z.string().nullable().optional(),
  /** Without a local time, like a record entered by hand. */
  timeless: z.boolean().optional(),
});
export type ClockChange = z.output<typeof clockSchema>;

/** Moves a clock record by some minutes (default 5). */
const correctSchema = z.strictObject({
  change: z.enum(['correct-clock-in', 'correct-clock-out']),
  id,
  minutes: z.number().min(-TWO_WEEKS_MINUTES).max(TWO_WEEKS_MINUTES).optional(),
});
export type CorrectClockChange = z.output<typeof correctSchema>;

const periodMembers = {
  calendar: z.string().min(1).max(100).optional(),
  startDate: date.optional(),
  finishDate: date.optional(),
};

/** Default: the next week of the weekly calendar. */
const createPeriodSchema = z.strictObject({ change: z.literal('create-pay-period'), ...periodMembers });
export type CreatePeriodChange = z.output<typeof createPeriodSchema>;

/** Without any member, renames the calendar. */
const editPeriodSchema = z.strictObject({ change: z.literal('change-pay-period'), id, ...periodMembers });
export type EditPeriodChange = z.output<typeof editPeriodSchema>;

const endPeriodSchema = z.strictObject({
  change: z.enum(['close-pay-period', 'reopen-pay-period', 'remove-pay-period']),
  id,
});
export type EndPeriodChange = z.output<typeof endPeriodSchema>;

/** One change of one record. All changes of the company, simulated or by hand, are of this form. */
export const changeSchema = z.discriminatedUnion('change', [
  createSchema,
  editSchema,
  markSchema,
  clockSchema,
  correctSchema,
  z.strictObject({ change: z.literal('remove'), id }),
  createPeriodSchema,
  editPeriodSchema,
  endPeriodSchema,
]);
export type CompanyChange = z.output<typeof changeSchema>;
export type ChangeKind = CompanyChange['change'];

/** `record` is the new state, `null` when it was removed. */
export type ChangeOutcome =
  | { readonly outcome: 'done'; readonly record: Timesheet | PayPeriod | null }
  | { readonly outcome: 'unknown'; readonly id: string }
  | { readonly outcome: 'refused'; readonly reason: string };
