import * as z from 'zod';
import { cleanText, fitLine } from './clean-text.ts';
import { directoryDataSchema, nameSubject } from './directory-sentences.ts';
import { formatDay, formatWhen } from './moments.ts';
import { describePeriod } from './pay-period-sentences.ts';
import { type Audience, envelope, readText, recordData, toTimeContext } from './record-events.ts';
import {
  appendParts,
  createSentenceContext,
  formatHoursToPay,
  formatShift,
  nameTimesheet,
} from './timesheet-sentences.ts';

const snapshotEnvelope = { ...envelope, sequence: z.int().min(0) };

/** The state of a record, as far as its sentence needs it. */
export const snapshotEventSchema = z.discriminatedUnion('type', [
  z.looseObject({
    ...snapshotEnvelope,
    type: z.literal('workforce.timesheet.snapshot'),
    data: z.looseObject({
      timesheetId: z.string(),
      employeeId: z.string().nullable(),
      departmentId: z.string().nullable(),
      organisationId: z.string().nullable(),
      ...recordData,
    }),
  }),
  z.looseObject({
    ...snapshotEnvelope,
    type: z.literal('workforce.pay_period.snapshot'),
    data: z.looseObject({ payPeriodId: z.string(), ...recordData }),
  }),
  z.looseObject({
    ...snapshotEnvelope,
    type: z.enum(['workforce.employee.snapshot', 'workforce.department.snapshot']),
    data: directoryDataSchema,
  }),
]);
type SnapshotEvent = z.output<typeof snapshotEventSchema>;
type TimesheetSnapshot = Extract<SnapshotEvent, { type: 'workforce.timesheet.snapshot' }>;
type PayPeriodSnapshot = Extract<SnapshotEvent, { type: 'workforce.pay_period.snapshot' }>;
type DirectorySnapshot = Exclude<SnapshotEvent, TimesheetSnapshot | PayPeriodSnapshot>;

export function toSnapshotSentence(event: SnapshotEvent, audience: Audience): string {
  return fitLine(describeRecord(event, audience), '.');
}

function describeRecord(event: SnapshotEvent, audience: Audience): string {
  switch (event.type) {
    case 'workforce.timesheet.snapshot':
      return describeTimesheet(event, audience);
    case 'workforce.pay_period.snapshot':
      return describePayPeriod(event, audience);
    default:
      return describeDirectory(event, audience);
  }
}

function describeDirectory(event: DirectorySnapshot, audience: Audience): string {
  return event.data.current === null
    ? `${nameSubject(event, audience)} is removed`
    : `${nameSubject(event, audience)} as it stands`;
}

function describeTimesheet(event: TimesheetSnapshot, audience: Audience): string {
  const { time, data } = event;
  const { current, employeeId } = data;
  if (current === null || employeeId === null) return `Timesheet ${cleanText(data.timesheetId)} is removed`;
  const appeared = { ...event, type: 'workforce.timesheet.created', data: { ...data, employeeId } } as const;
  const context = createSentenceContext(appeared, audience);
  const { date } = context;
  const named = nameTimesheet(context);
  const day = date === null ? null : formatDay(date, toTimeContext(time, audience));
  const timesheet = day === null ? named : `${named} on ${day}`;
  const parts = [
    formatShift(current, context),
    formatHoursToPay(current),
    readText(current, 'approvedHours') === null ? 'not approved' : 'approved',
    readText(current, 'processed') === null ? 'not processed' : 'processed',
  ];
  return `${timesheet} as it stands${appendParts(parts)}`;
}

function describePayPeriod({ time, data }: PayPeriodSnapshot, audience: Audience): string {
  const seen = toTimeContext(time, audience);
  const { current, payPeriodId } = data;
  if (current === null) return `Pay period ${cleanText(payPeriodId)} is removed`;
  const closed = readText(current, 'closed');
  const state = closed === null ? 'open' : `closed ${formatWhen(closed, seen) ?? cleanText(closed)}`;
  return `Pay period ${describePeriod(current, payPeriodId, seen)} as it stands: ${state}`;
}
