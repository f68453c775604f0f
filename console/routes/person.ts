import * as z from 'zod';
import { lineSchema } from './lines.ts';
import { periodTimesheetSchema } from './periods.ts';
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
  timesheets: z.array(periodTimesheetSchema),
  /** Newest first, in the order of the log. */
  changes: z.array(personChangeSchema),
  readAt: z.string(),
});
export type PersonAnswer = z.output<typeof personAnswerSchema>;
