import * as z from 'zod';
import { instantOf } from '../dates.ts';
import { changesText } from './field-changes.ts';
import { atText, dayText, type Reading, stampText } from './moments.ts';
import { hoursText } from './numbers.ts';
import { fittingLine, plainText } from './plain.ts';
import {
  type Audience,
  envelope,
  numberIn,
  occurredText,
  readingOf,
  recordData,
  type ToldState,
  textIn,
} from './record-events.ts';
import { nameOf, timesheetFieldWords } from './timesheet-fields.ts';

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
type TimesheetEvent = z.output<typeof timesheetEventSchema>;
type Data = TimesheetEvent['data'];

/** What the parts of a sentence are made of. */
interface Telling {
  readonly data: Data;
  readonly audience: Audience;
  /** For what is said of the event's own time: on which day the timesheet is goes with it. */
  readonly reading: Reading;
  /** For what is said of the timesheet's own day. */
  readonly onItsDay: Reading;
}

export function timesheetSentence({ type, time, data }: TimesheetEvent, audience: Audience): string {
  const seen = readingOf(time, audience.timeZone);
  const date = textIn(data.current, 'date') ?? textIn(data.previous, 'date');
  const telling: Telling = {
    data,
    audience,
    // Of two days that are told none goes without saying.
    reading: date === null || date === seen.day ? seen : { ...seen, day: null },
    onItsDay: { ...seen, day: date ?? seen.day },
  };
  const subject = `Timesheet ${whose(telling)}${date === null ? '' : ` on ${dayText(date, seen)}`}`;
  return fittingLine(`${subject}${happened(type, telling)}`, `${lateText(type, data.late)}.`);
}

/** `of Ana Lee (Kitchen)`, or by ids for whom names are not shown. */
function whose({ data, audience: { names } }: Telling): string {
  const employee = plainText(names.employees.get(data.employeeId) ?? '');
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
      ? `${plainText(data.timesheetId)} of employee ${plainText(data.employeeId)}`
      : `of ${employee}`;
  return places.length === 0 ? person : `${person} (${places.join(', ')})`;
}

function happened(type: TimesheetEvent['type'], telling: Telling): string {
  const { data, reading } = telling;
  const when = occurredText(data, reading);
  switch (type) {
    case 'workforce.timesheet.created':
      return ` was added${listed([shiftText(data.current, telling), hoursOf(data.current)])}`;
    case 'workforce.timesheet.changed':
      return `: ${changesText(data, timesheetFieldWords(data, telling))}`;
    case 'workforce.timesheet.removed':
      return ` was removed ${when}${listed([shiftText(data.previous, telling), hoursOf(data.previous)])}`;
    case 'workforce.timesheet.approved':
      return ` was approved${again('approvedHours', telling)} ${when}${withHours(data.current)}`;
    case 'workforce.timesheet.payroll_approved':
      return ` was approved for payroll${againAs(payrollReference(data.previous))} ${when}${reference(data.current)}`;
    case 'workforce.timesheet.processed':
      return ` was processed${again('processed', telling)} ${when}${withHours(data.current)}`;
    case 'workforce.timesheet.approval_revoked':
      return ` is no longer approved: the approval${former('approvedHours', telling)} was taken back ${when}`;
    case 'workforce.timesheet.payroll_approval_revoked':
      return ` is no longer approved for payroll: the approval${reversedReference(data.previous)} was taken back ${when}`;
    case 'workforce.timesheet.processing_reverted':
      return ` is no longer processed: the processing${former('processed', telling)} was taken back ${when}`;
    default:
      return `: ${clocked(type, telling)}`;
  }
}

type ClockingType = Extract<TimesheetEvent['type'], `${string}clock${string}`>;

function clocked(type: ClockingType, telling: Telling): string {
  const { data, reading, onItsDay } = telling;
  const [field, noun] = type.includes('_in') ? ['clockIn', 'clock-in'] : ['clockOut', 'clock-out'];
  const [before, after] = [data.previous, data.current].map((state) => clockTime(state?.[field], onItsDay));
  switch (type) {
    case 'workforce.timesheet.clocked_in':
    case 'workforce.timesheet.clocked_out': {
      const done = field === 'clockIn' ? 'clocked in' : 'clocked out';
      return after == null
        ? `${done} ${occurredText(data, reading)}, no time recorded`
        : `${done} ${after.at}`;
    }
    case 'workforce.timesheet.clock_in_corrected':
    case 'workforce.timesheet.clock_out_corrected':
      return before?.text === after?.text
        ? `details of the ${noun}${after == null ? '' : ` ${after.at}`} altered`
        : `${noun} ${before?.text ?? 'without time'} -> ${after?.text ?? 'without time'}`;
    case 'workforce.timesheet.clock_in_removed':
    case 'workforce.timesheet.clock_out_removed':
      return `the ${noun}${before == null ? '' : ` ${before.at}`} was removed ${occurredText(data, reading)}`;
  }
}

/** Local time of a clock record in words, read on the day of its timesheet; null when none is recorded. */
function clockTime(record: unknown, reading: Reading): { at: string; text: string } | null {
  if (typeof record !== 'object' || record === null || !('localTime' in record)) return null;
  const { localTime } = record;
  const instant = typeof localTime === 'string' ? instantOf(localTime, reading.timeZone) : null;
  if (typeof localTime !== 'string' || instant === null) return null;
  return { at: atText(instant, reading), text: stampText(localTime, reading) };
}

/** `09:00 - 17:00`. */
function shiftText(state: ToldState, { onItsDay }: Telling): string {
  const [start, finish] = [textIn(state, 'startTime'), textIn(state, 'finishTime')];
  return start === null || finish === null
    ? ''
    : `${stampText(start, onItsDay)} - ${stampText(finish, onItsDay)}`;
}

function hoursOf(state: ToldState): string {
  const hours = numberIn(state, 'hoursToPay');
  return hours === null ? '' : `${hoursText(hours)} to pay`;
}

function withHours(state: ToldState): string {
  const hours = hoursOf(state);
  return hours === '' ? '' : ` with ${hours}`;
}

function listed(parts: readonly string[]): string {
  const told = parts.filter((part) => part !== '');
  return told.length === 0 ? '' : `: ${told.join(', ')}`;
}

/** A new stamp over an old one: what it was before. */
function again(field: string, { data, reading }: Telling): string {
  const before = textIn(data.previous, field);
  return againAs(before === null ? '' : stampText(before, reading));
}

function againAs(before: string): string {
  return before === '' ? '' : ` again (before: ${before})`;
}

/** ` of Fri 13 Nov 10:15`: the stamp that was taken back. */
function former(field: string, { data, reading }: Telling): string {
  const before = textIn(data.previous, field);
  return before === null ? '' : ` of ${stampText(before, reading)}`;
}

function reference(state: ToldState): string {
  const text = payrollReference(state);
  return text === '' ? '' : ` (reference ${text})`;
}

function reversedReference(state: ToldState): string {
  const text = payrollReference(state);
  return text === '' ? '' : ` ${text}`;
}

/** A reference may look like a date and is none. */
function payrollReference(state: ToldState): string {
  return plainText(textIn(state, 'approvedPayroll') ?? '');
}

/** What goes without saying: whatever is taken back stood before. */
const OBVIOUS: Readonly<Partial<Record<TimesheetEvent['type'], readonly string[]>>> = {
  'workforce.timesheet.approval_revoked': ['approval'],
  'workforce.timesheet.payroll_approval_revoked': ['approval'],
  'workforce.timesheet.processing_reverted': ['approval', 'processing'],
};

function lateText(type: TimesheetEvent['type'], late: readonly string[]): string {
  const stood = late.filter((each) => !(OBVIOUS[type] ?? []).includes(each));
  const was = [
    stood.includes('approval') ? 'approved' : '',
    stood.includes('processing') ? 'processed' : '',
  ].filter((word) => word !== '');
  const parts = [
    was.length === 0 ? '' : `it was ${was.join(' and ')}`,
    stood.includes('close') ? 'its pay period closed' : '',
  ].filter((part) => part !== '');
  if (parts.length === 0) return '';
  // The clock was there in time: what came late is the record of it.
  const recorded = type.includes('.clocked_') ? ', recorded' : ',';
  return stood.length === 1 && was[0] === 'approved'
    ? ', after approval'
    : `${recorded} after ${parts.join(' and ')}`;
}
