import * as z from 'zod';
import { lineSchema } from './lines.ts';
import { receiverSchema } from './record.ts';

export const personQuerySchema = z.object({
  id: z.string().min(1).max(200),
  connection: z.string().max(100),
});
export type PersonQuery = z.output<typeof personQuerySchema>;

/** A change of a timesheet, and what became of it at each receiver. */
const personChangeSchema = lineSchema.extend({ receivers: z.array(receiverSchema) });
export type PersonChange = z.output<typeof personChangeSchema>;

const personPeriodSchema = z.object({
  id: z.string(),
  calendar: z.string(),
  startDate: z.string(),
  finishDate: z.string(),
  closed: z.boolean(),
});

const personTimesheetSchema = z.object({
  id: z.string(),
  date: z.string().nullable(),
  departmentId: z.string().nullable(),
  department: z.string().nullable(),
  /** Ids of the pay periods that it belongs to, or may belong to. */
  payPeriods: z.array(z.string()),
  hours: z.number(),
  approved: z.boolean(),
  payrollApproved: z.boolean(),
  processed: z.boolean(),
});
export type PersonTimesheet = z.output<typeof personTimesheetSchema>;

/** The timesheets of a person in this pay period and the last one, and what happened to them. */
export const personAnswerSchema = z.object({
  name: z.string().nullable(),
  timeZone: z.string(),
  /** Dates that were looked at, both included. */
  from: z.string(),
  to: z.string(),
  /** From when on changes were looked for, RFC 3339. */
  since: z.string(),
  /** Latest first. */
  periods: z.array(personPeriodSchema),
  /** As stored now. */
  timesheets: z.array(personTimesheetSchema),
  /** Newest first, in the order of the log. */
  changes: z.array(personChangeSchema),
  readAt: z.string(),
});
export type PersonAnswer = z.output<typeof personAnswerSchema>;
