import { readPlan } from '../../core/records/absences.ts';
import { roundNumber } from '../../core/records/values.ts';
import { type EventState, readNumber, readText } from '../event-state.ts';
import { sayLate } from '../late.ts';
import { bold, type Spans } from '../message.ts';
import { cleanText } from '../messages/clean-text.ts';
import { listChanges } from '../messages/field-changes.ts';
import { describeOccurrence, formatAt, formatMoment } from '../messages/moments.ts';
import { formatChange, formatHours } from '../messages/numbers.ts';
import { createFieldWords } from '../messages/timesheet-fields.ts';
import type { TimesheetEvent, TimesheetType } from '../read-events.ts';
import { callRecord, type Reader } from '../reader.ts';
import {
  CLOCKING_NAMES,
  type Clocking,
  formatShift,
  nameTimesheet,
  readClockTime,
  type TimesheetContext,
  toTimesheetContext,
} from '../timesheet-context.ts';
import type { TypeEntry } from './entry.ts';

type ShortType = TimesheetType extends `workforce.${infer Short}` ? Short : never;
export type TimesheetEntry = TypeEntry<TimesheetEvent>;

interface Words extends Omit<TimesheetEntry, 'says'> {
  /** What happened, after whose timesheet it is. */
  readonly facts: (context: TimesheetContext) => string;
  /** Reasons for being late that go without saying: what was revoked stood before. */
  readonly implies?: readonly string[];
}

/** Of what is paid, or is about to be: nobody acts on each of these within the hour. */
const LATE = { tells: 'late-changes', delay: 'hour' } as const;
/** Hours that may have to be paid or held back: at once, once the period closed. */
const OF_PAY = { tells: 'late-changes', delay: 'hour_while_open' } as const;
const MISSING = { tells: 'missing-clockings' } as const;

const WORDS: Readonly<Record<ShortType, Words>> = {
  'timesheet.created': {
    ...OF_PAY,
    counted: ['timesheet added', 'timesheets added'],
    facts: (context) =>
      `added${list(', ', formatShift(context.data.current, context), toPay(context.data.current))}`,
  },
  'timesheet.changed': {
    ...OF_PAY,
    endsClocking: true,
    counted: ['timesheet changed', 'timesheets changed'],
    facts: sayChanges,
  },
  'timesheet.approved': {
    ...LATE,
    endsClocking: true,
    counted: ['timesheet approved', 'timesheets approved'],
    facts: (context) => `approved${again('approvedHours', context)} ${when(context)}${withHours(context)}`,
  },
  'timesheet.approval_revoked': {
    ...OF_PAY,
    counted: ['approval revoked', 'approvals revoked'],
    facts: (context) => `no longer approved: the approval was revoked ${when(context)}`,
    implies: ['approval'],
  },
  'timesheet.payroll_approved': {
    ...LATE,
    endsClocking: true,
    counted: ['timesheet approved for payroll', 'timesheets approved for payroll'],
    facts: (context) => {
      const reference = cleanText(readText(context.data.current, 'approvedPayroll') ?? '');
      const by = reference === '' ? '' : ` (reference ${reference})`;
      return `approved for payroll${again('approvedPayroll', context)} ${when(context)}${by}`;
    },
  },
  'timesheet.payroll_approval_revoked': {
    ...OF_PAY,
    counted: ['payroll approval revoked', 'payroll approvals revoked'],
    facts: (context) => `no longer approved for payroll: that was revoked ${when(context)}`,
    implies: ['approval'],
  },
  'timesheet.processed': {
    ...OF_PAY,
    endsClocking: true,
    counted: ['timesheet processed', 'timesheets processed'],
    facts: sayProcessed,
  },
  'timesheet.processing_reverted': {
    ...OF_PAY,
    counted: ['timesheet no longer processed', 'timesheets no longer processed'],
    facts: (context) => {
      const hours = list(' (', toPay(context.data.current));
      return `no longer processed${hours === '' ? '' : `${hours})`}: the processing was reverted ${when(context)}`;
    },
    implies: ['approval', 'processing'],
  },
  'timesheet.removed': {
    ...OF_PAY,
    endsClocking: true,
    counted: ['timesheet removed', 'timesheets removed'],
    facts: (context) => {
      const { previous } = context.data;
      return `removed ${when(context)}${list(', ', formatShift(previous, context), toPay(previous))}`;
    },
  },
  'timesheet.clocked_in': {
    ...LATE,
    endsClocking: true,
    counted: ['clock-in', 'clock-ins'],
    facts: (context) => sayClocked('clockIn', context),
  },
  'timesheet.clock_in_corrected': {
    ...LATE,
    counted: ['clock-in corrected', 'clock-ins corrected'],
    facts: (context) => sayCorrected('clockIn', context),
  },
  'timesheet.clock_in_removed': {
    ...LATE,
    endsClocking: true,
    counted: ['clock-in removed', 'clock-ins removed'],
    facts: (context) => sayRemoved('clockIn', context),
  },
  'timesheet.clocked_out': {
    ...LATE,
    endsClocking: true,
    counted: ['clock-out', 'clock-outs'],
    facts: (context) => sayClocked('clockOut', context),
  },
  'timesheet.clock_out_corrected': {
    ...LATE,
    counted: ['clock-out corrected', 'clock-outs corrected'],
    facts: (context) => sayCorrected('clockOut', context),
  },
  'timesheet.clock_out_removed': {
    ...LATE,
    counted: ['clock-out removed', 'clock-outs removed'],
    facts: (context) => sayRemoved('clockOut', context),
  },
  'timesheet.clock_in_missing': {
    ...MISSING,
    counted: ['clock-in missing', 'clock-ins missing'],
    facts: (context) => sayMissing('clockIn', context),
    heading: (event, reader) => askWhere('clockIn', toTimesheetContext(event, reader)),
  },
  'timesheet.clock_out_missing': {
    ...MISSING,
    counted: ['clock-out missing', 'clock-outs missing'],
    facts: (context) => sayMissing('clockOut', context),
    heading: (event, reader) => askWhere('clockOut', toTimesheetContext(event, reader)),
  },
};

export const TIMESHEETS = Object.fromEntries(
  Object.entries(WORDS).map(([type, { facts: _facts, implies: _implies, ...entry }]) => [
    type,
    { ...entry, says: (event: TimesheetEvent, reader: Reader) => sayTimesheet(event, reader) },
  ]),
) as Readonly<Record<ShortType, TimesheetEntry>>;

/** `Ana Lee, Kitchen, Thu 12 Nov: approved at 10:15 with 7.5 h to pay`. `implied`: what a heading says of its lateness. */
export function sayTimesheet(event: TimesheetEvent, reader: Reader, implied: readonly string[] = []): Spans {
  const context = toTimesheetContext(event, reader);
  return [bold(nameTimesheet(context)), `: ${sayFacts(context, implied)}`];
}

/** The same without whose timesheet it is. */
export function sayFacts(context: TimesheetContext, implied: readonly string[] = []): string {
  const { facts, implies = [] } = WORDS[toShort(context.event.type)];
  return `${facts(context)}${sayLate(context.data, [...implies, ...implied])}`;
}

function toShort(type: TimesheetType): ShortType {
  return type.slice('workforce.'.length) as ShortType;
}

function sayChanges(context: TimesheetContext): string {
  const { data, reader, onItsDay } = context;
  const [before, after] = [readNumber(data.previous, 'hoursToPay'), readNumber(data.current, 'hoursToPay')];
  const hours = before === null || after === null || before === after ? [] : [sayHours(before, after)];
  const changed = hours.length === 0 ? data.changed : data.changed.filter((field) => field !== 'hoursToPay');
  const others = listChanges({ ...data, changed }, createFieldWords(data, reader, onItsDay));
  const all = [...hours, ...others];
  return all.length === 0 ? 'changed' : all.join(', ');
}

/** `8 to 10 h (+2)`. */
export function sayHours(before: number, after: number): string {
  return `${formatHours(before).replace(' h', '')} to ${formatHours(after)} (${sayDifference(before, after)})`;
}

/** `+2`. Rounded to the 4 decimals that people enter at most. */
function sayDifference(before: number, after: number): string {
  return formatChange(roundNumber(after - before)).replace(' h', '');
}

/** `processed at 10:15 with 7.5 h to pay`, `processed again, +0.5 h`, `processed again, same hours`. */
function sayProcessed(context: TimesheetContext): string {
  const { data } = context;
  const hours = readNumber(data.current, 'hoursToPay');
  const reversal = findReversal(context.event);
  if (reversal === null || reversal.hours === null || hours === null) {
    const isAgain = reversal === null ? again('processed', context) : ' again';
    return `processed${isAgain} ${when(context)}${withHours(context)}`;
  }
  const isSame = Math.abs(hours - reversal.hours) < 0.0001;
  if (isSame) return `processed again ${when(context)}, same hours`;
  return `${formatHours(hours)} processed again ${when(context)}, ${sayDifference(reversal.hours, hours)} h`;
}

/** What a processing settles, if it follows one that was reverted: with how many hours that was. */
function findReversal({ data }: TimesheetEvent): { readonly hours: number | null } | null {
  const found = data.settles?.find(({ type }) => type.endsWith('.processing_reverted'));
  return found === undefined ? null : { hours: found.hours ?? null };
}

function sayClocked(clocking: Clocking, context: TimesheetContext): string {
  const time = readClockTime(context.data.current, clocking, context);
  const clocked = clocking === 'clockIn' ? 'clocked in' : 'clocked out';
  return time === null ? `${clocked} ${when(context)}, no time recorded` : `${clocked} ${time.at}`;
}

function sayCorrected(clocking: Clocking, context: TimesheetContext): string {
  const { previous, current } = context.data;
  const [before, after] = [previous, current].map((state) => readClockTime(state, clocking, context));
  const name = CLOCKING_NAMES[clocking];
  if (before?.text === after?.text)
    return `details of the ${name}${after == null ? '' : ` ${after.at}`} changed`;
  return `${name} ${before?.text ?? 'without time'} to ${after?.text ?? 'without time'}`;
}

function sayRemoved(clocking: Clocking, context: TimesheetContext): string {
  const before = readClockTime(context.data.previous, clocking, context);
  return `the ${CLOCKING_NAMES[clocking]}${before === null ? '' : ` ${before.at}`} was removed ${when(context)}`;
}

/** `no clock-in, planned 08:00`. */
function sayMissing(clocking: Clocking, context: TimesheetContext): string {
  const planned = readPlanned(clocking, context);
  const plan = planned === null ? '' : `, planned ${formatMoment(planned, context.onItsDay)}`;
  return `no ${CLOCKING_NAMES[clocking]}${plan}`;
}

/** `Ana Lee has not clocked in; the shift began at 08:00`. */
function askWhere(clocking: Clocking, context: TimesheetContext): string {
  const { data, reader, onItsDay, seen, date } = context;
  const person = callRecord(data.employeeId, 'Employee', reader.names.employees);
  const planned = readPlanned(clocking, context);
  const absent = `${person} has not clocked ${clocking === 'clockIn' ? 'in' : 'out'}`;
  if (planned === null) return absent;
  const isToday = date === seen.day;
  const at = formatAt(planned, isToday ? onItsDay : { ...onItsDay, day: null });
  return `${absent}; the shift ${clocking === 'clockIn' ? 'began' : 'ended'} ${at}`;
}

function readPlanned(clocking: Clocking, { data: { current }, onItsDay }: TimesheetContext): number | null {
  const [startTime, finishTime] = [readText(current, 'startTime'), readText(current, 'finishTime')];
  const { start, finish } = readPlan({ startTime, finishTime }, onItsDay.timeZone);
  return clocking === 'clockIn' ? start : finish;
}

function when({ data, seen }: TimesheetContext): string {
  return describeOccurrence(data, seen);
}

/** ` again` when a new stamp replaces an old one. */
function again(field: string, { data }: TimesheetContext): string {
  return readText(data.previous, field) === null ? '' : ' again';
}

/** `7.5 h to pay`. */
export function toPay(state: EventState): string {
  const hours = readNumber(state, 'hoursToPay');
  return hours === null ? '' : `${formatHours(hours)} to pay`;
}

function withHours({ data }: TimesheetContext): string {
  return list(' with ', toPay(data.current));
}

/** The parts that are there, after a beginning. */
export function list(beginning: string, ...parts: readonly string[]): string {
  const present = parts.filter((part) => part !== '');
  return present.length === 0 ? '' : `${beginning}${present.join(', ')}`;
}
