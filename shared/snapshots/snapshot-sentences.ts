import * as z from 'zod';
import { cleanText, fitLine } from '../core/messages/clean-text.ts';
import { formatDay, formatWhen } from '../core/messages/moments.ts';
import { describePeriod } from '../core/messages/pay-period-sentences.ts';
import {
  type Audience,
  envelope,
  readText,
  recordData,
  toTimeContext,
} from '../core/messages/record-events.ts';
import {
  appendParts,
  createSentenceContext,
  describeOwner,
  formatHoursToPay,
  formatShift,
} from '../core/messages/timesheet-sentences.ts';

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
]);
type SnapshotEvent = z.output<typeof snapshotEventSchema>;
type TimesheetSnapshot = Extract<SnapshotEvent, { type: 'workforce.timesheet.snapshot' }>;
type PayPeriodSnapshot = Exclude<SnapshotEvent, TimesheetSnapshot>;

export function toSnapshotSentence(event: SnapshotEvent, audience: Audience): string {
  const sentence =
    event.type === 'workforce.timesheet.snapshot'
      ? describeTimesheet(event, audience)
      : describePayPeriod(event, audience);
  return fitLine(sentence, '.');
}

function describeTimesheet(event: TimesheetSnapshot, audience: Audience): string {
  const { time, data } = event;
  const { current, employeeId, timesheetId } = data;
  if (current === null || employeeId === null) return `Timesheet ${cleanText(timesheetId)} is removed`;
  const appeared = { ...event, type: 'workforce.timesheet.created', data: { ...data, employeeId } } as const;
  const context = createSentenceContext(appeared, audience);
  const { date } = context;
  const day = date === null ? '' : ` on ${formatDay(date, toTimeContext(time, audience))}`;
  const parts = [
    formatShift(current, context),
    formatHoursToPay(current),
    readText(current, 'approvedHours') === null ? 'not approved' : 'approved',
    readText(current, 'processed') === null ? 'not processed' : 'processed',
  ];
  return `Timesheet ${describeOwner(context)}${day} as it stands${appendParts(parts)}`;
}

function describePayPeriod({ time, data }: PayPeriodSnapshot, audience: Audience): string {
  const seen = toTimeContext(time, audience);
  const { current, payPeriodId } = data;
  if (current === null) return `Pay period ${cleanText(payPeriodId)} is removed`;
  const closed = readText(current, 'closed');
  const state = closed === null ? 'open' : `closed ${formatWhen(closed, seen) ?? cleanText(closed)}`;
  return `Pay period ${describePeriod(current, payPeriodId, seen)} as it stands: ${state}`;
}
