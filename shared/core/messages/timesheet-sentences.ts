import * as z from 'zod';
import {
  ABSENCE_TYPES,
  type AbsenceType,
  describeAbsence,
  describeOpenClocking,
  isAbsenceType,
} from './absence-sentences.ts';
import { cleanText, fitLine } from './clean-text.ts';
import { readClockTime } from './clock-times.ts';
import { describeChanges } from './field-changes.ts';
import { describeLate, describeSinceClosing } from './late-words.ts';
import { formatDay, formatStamp, type MessageTimeContext } from './moments.ts';
import { formatChange, formatHours } from './numbers.ts';
import {
  type Audience,
  describeOccurrence,
  type EventState,
  envelope,
  readNumber,
  readText,
  recordData,
  toTimeContext,
} from './record-events.ts';
import { createFieldWords, describeReprocessing, nameOf } from './timesheet-fields.ts';

const TYPES = [
  'workforce.timesheet.created',
  'workforce.timesheet.changed',
  'workforce.timesheet.approved',
  'workforce.timesheet.approval_revoked',
  'workforce.timesheet.payroll_approved',
  'workforce.timesheet.payroll_approval_revoked',
  'workforce.timesheet.processed',
  'workforce.timesheet.processing_reverted',
  'workforce.timesheet.removed',
  'workforce.timesheet.clocked_in',
  'workforce.timesheet.clock_in_corrected',
  'workforce.timesheet.clock_in_removed',
  'workforce.timesheet.clocked_out',
  'workforce.timesheet.clock_out_corrected',
  'workforce.timesheet.clock_out_removed',
  ...ABSENCE_TYPES,
] as const;

/** An event about a timesheet or one of its clockings, as far as its sentence needs it. */
export const timesheetEventSchema = z.looseObject({
  ...envelope,
  type: z.enum(TYPES),
  data: z.looseObject({
    timesheetId: z.string(),
    employeeId: z.string(),
    departmentId: z.string().nullable(),
    organisationId: z.string().nullable(),
    ...recordData,
  }),
});
export type TimesheetEvent = z.output<typeof timesheetEventSchema>;

export function isTimesheetEvent(event: { readonly type: string }): event is TimesheetEvent {
  return (TYPES as readonly string[]).includes(event.type);
}
type Data = TimesheetEvent['data'];

export interface SentenceContext {
  readonly data: Data;
  /** Of the timesheet. */
  readonly date: string | null;
  readonly audience: Audience;
  /** For moments of the event: leaves out the day of the event when the timesheet is on it as well. */
  readonly timeContext: MessageTimeContext;
  /** For times of the timesheet: leaves out its own day. */
  readonly onItsDay: MessageTimeContext;
}

export function toTimesheetSentence(event: TimesheetEvent, audience: Audience): string {
  const { type, time, data } = event;
  const context = createSentenceContext(event, audience);
  const { date } = context;
  const seen = toTimeContext(time, audience);
  const subject = `Timesheet ${describeOwner(context)}${date === null ? '' : ` on ${formatDay(date, seen)}`}`;
  const predicate = isAbsenceType(type)
    ? `: ${describeAbsence(type, context)}`
    : describePredicate(type, context);
  return fitLine(`${subject}${predicate}`, `${describeLate(type, data)}${describeSinceClosing(data)}.`);
}

export function createSentenceContext({ time, data }: TimesheetEvent, audience: Audience): SentenceContext {
  const seen = toTimeContext(time, audience);
  const date = readText(data.current, 'date') ?? readText(data.previous, 'date');
  return {
    data,
    date,
    audience,
    // A sentence with two days gives both.
    timeContext: date === null || date === seen.day ? seen : { ...seen, day: null },
    onItsDay: { ...seen, day: date ?? seen.day },
  };
}

/** `of Ana Lee (Kitchen)`, or ids where names may not be shown. */
export function describeOwner({ data, audience: { names } }: SentenceContext): string {
  const employee = cleanText(names.employees.get(data.employeeId) ?? '');
  const places = [
    names.departments.size > 0 && data.departmentId !== null
      ? nameOf(names.departments, data.departmentId, 'department ')
      : '',
    names.organisations.size > 0 && data.organisationId !== null
      ? nameOf(names.organisations, data.organisationId, 'organisation ')
      : '',
  ].filter((place) => place !== '');
  const person =
    employee === ''
      ? `${cleanText(data.timesheetId)} of employee ${cleanText(data.employeeId)}`
      : `of ${employee}`;
  return places.length === 0 ? person : `${person} (${places.join(', ')})`;
}

function describePredicate(type: RecordedType, context: SentenceContext): string {
  const { data, timeContext } = context;
  const when = describeOccurrence(data, timeContext);
  switch (type) {
    case 'workforce.timesheet.created':
      return ` was added${appendParts([formatShift(data.current, context), formatHoursToPay(data.current)])}`;
    case 'workforce.timesheet.changed':
      return `: ${describeChanges(data, createFieldWords(data, context))}${describeOpenClocking(type, data)}`;
    case 'workforce.timesheet.removed':
      return ` was removed ${when}${appendParts([formatShift(data.previous, context), formatHoursToPay(data.previous)])}${describeOpenClocking(type, data)}`;
    case 'workforce.timesheet.approved':
      return ` was approved${describeRepeat('approvedHours', context)} ${when}${appendHours(data.current)}`;
    case 'workforce.timesheet.payroll_approved':
      return ` was approved for payroll${formatRepeat(readPayrollReference(data.previous))} ${when}${appendReference(data.current)}`;
    case 'workforce.timesheet.processed':
      return ` was processed${describeRepeat('processed', context) || describeReprocessing(data)} ${when}${appendHours(data.current)}${describeHoursBefore(context)}`;
    case 'workforce.timesheet.approval_revoked':
      return ` is no longer approved: the approval${describeFormer('approvedHours', context)} was revoked ${when}`;
    case 'workforce.timesheet.payroll_approval_revoked':
      return ` is no longer approved for payroll: the approval${appendReversedReference(data.previous)} was revoked ${when}`;
    case 'workforce.timesheet.processing_reverted':
      return ` is no longer processed${inBrackets(formatHoursToPay(data.current))}: the processing${describeFormer('processed', context)} was reverted ${when}`;
    default:
      return `: ${describeClocking(type, context)}`;
  }
}

/** What the source recorded, not what is missing. */
type RecordedType = Exclude<TimesheetEvent['type'], AbsenceType>;
type ClockingType = Extract<RecordedType, `${string}clock${string}`>;

export function describeClocking(type: ClockingType, context: SentenceContext): string {
  const { data, timeContext, onItsDay } = context;
  const [field, noun] = type.includes('_in') ? ['clockIn', 'clock-in'] : ['clockOut', 'clock-out'];
  const [before, after] = [data.previous, data.current].map((state) =>
    readClockTime(state?.[field], onItsDay),
  );
  switch (type) {
    case 'workforce.timesheet.clocked_in':
    case 'workforce.timesheet.clocked_out': {
      const done = field === 'clockIn' ? 'clocked in' : 'clocked out';
      return after == null
        ? `${done} ${describeOccurrence(data, timeContext)}, no time recorded`
        : `${done} ${after.at}`;
    }
    case 'workforce.timesheet.clock_in_corrected':
    case 'workforce.timesheet.clock_out_corrected':
      return before?.text === after?.text
        ? `details of the ${noun}${after == null ? '' : ` ${after.at}`} changed`
        : `${noun} ${before?.text ?? 'without time'} -> ${after?.text ?? 'without time'}`;
    case 'workforce.timesheet.clock_in_removed':
    case 'workforce.timesheet.clock_out_removed':
      return `the ${noun}${before == null ? '' : ` ${before.at}`} was removed ${describeOccurrence(data, timeContext)}`;
  }
}

/** `09:00 - 17:00`. */
export function formatShift(state: EventState, { onItsDay }: SentenceContext): string {
  const [start, finish] = [readText(state, 'startTime'), readText(state, 'finishTime')];
  return start === null || finish === null
    ? ''
    : `${formatStamp(start, onItsDay)} - ${formatStamp(finish, onItsDay)}`;
}

export function formatHoursToPay(state: EventState): string {
  const hours = readNumber(state, 'hoursToPay');
  return hours === null ? '' : `${formatHours(hours)} to pay`;
}

function appendHours(state: EventState): string {
  const hours = formatHoursToPay(state);
  return hours === '' ? '' : ` with ${hours}`;
}

function inBrackets(text: string): string {
  return text === '' ? '' : ` (${text})`;
}

export function appendParts(parts: readonly string[]): string {
  const present = parts.filter((part) => part !== '');
  return present.length === 0 ? '' : `: ${present.join(', ')}`;
}

/** `, as when it was reverted`, or `, +0.5 h since it was reverted (7.5 h)`. */
function describeHoursBefore({ data, audience: { hoursBefore = null } }: SentenceContext): string {
  const hours = readNumber(data.current, 'hoursToPay');
  if (hoursBefore === null || hours === null) return '';
  return hours === hoursBefore
    ? ', as when it was reverted'
    : `, ${formatChange(hours - hoursBefore)} since it was reverted (${formatHours(hoursBefore)})`;
}

/** ` again (before: Fri 13 Nov 10:15)` when a new stamp replaces an old one. */
function describeRepeat(field: string, { data, timeContext }: SentenceContext): string {
  const before = readText(data.previous, field);
  return formatRepeat(before === null ? '' : formatStamp(before, timeContext));
}

function formatRepeat(before: string): string {
  return before === '' ? '' : ` again (before: ${before})`;
}

/** ` of Fri 13 Nov 10:15`: the stamp that was removed. */
function describeFormer(field: string, { data, timeContext }: SentenceContext): string {
  const stamp = readText(data.previous, field);
  return stamp === null ? '' : ` of ${formatStamp(stamp, timeContext)}`;
}

function appendReference(state: EventState): string {
  const text = readPayrollReference(state);
  return text === '' ? '' : ` (reference ${text})`;
}

function appendReversedReference(state: EventState): string {
  const text = readPayrollReference(state);
  return text === '' ? '' : ` ${text}`;
}

/** Never formatted as a date, although a reference may look like one. */
function readPayrollReference(state: EventState): string {
  return cleanText(readText(state, 'approvedPayroll') ?? '');
}
