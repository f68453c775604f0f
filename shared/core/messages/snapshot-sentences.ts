import * as z from 'zod';
import { languageOf } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
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
  const { stands, isRemoved } = languageOf(audience).directory;
  return say(event.data.current === null ? isRemoved : stands, { record: nameSubject(event, audience) });
}

function describeTimesheet(event: TimesheetSnapshot, audience: Audience): string {
  const { time, data } = event;
  const { current, employeeId } = data;
  const { snapshots: words, timesheets } = languageOf(audience);
  if (current === null || employeeId === null)
    return say(words.timesheetRemoved, { id: cleanText(data.timesheetId) });
  const appeared = { ...event, type: 'workforce.timesheet.created', data: { ...data, employeeId } } as const;
  const context = createSentenceContext(appeared, audience);
  const { date, language } = context;
  const named = nameTimesheet(context);
  const day = date === null ? null : formatDay(date, toTimeContext(time, audience));
  const timesheet = day === null ? named : say(timesheets.onDay, { timesheet: named, day });
  const parts = [
    formatShift(current, context),
    formatHoursToPay(current, language),
    readText(current, 'approvedHours') === null ? words.notApproved : words.approved,
    readText(current, 'processed') === null ? words.notProcessed : words.processed,
  ];
  return say(words.timesheet, { timesheet, parts: appendParts(parts) });
}

function describePayPeriod({ time, data }: PayPeriodSnapshot, audience: Audience): string {
  const seen = toTimeContext(time, audience);
  const { current, payPeriodId } = data;
  const { snapshots: words } = languageOf(audience);
  if (current === null) return say(words.payPeriodRemoved, { id: cleanText(payPeriodId) });
  const closed = readText(current, 'closed');
  const state =
    closed === null ? words.open : say(words.closed, { when: formatWhen(closed, seen) ?? cleanText(closed) });
  return say(words.payPeriod, { period: describePeriod(current, payPeriodId, seen), state });
}
