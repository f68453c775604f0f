import { readPlan } from '../records/absences.ts';
import { readClockTime } from './clock-times.ts';
import { formatMoment, type MessageTimeContext } from './moments.ts';
import { formatHours, formatNumber } from './numbers.ts';
import { type Audience, type EventState, readText } from './record-events.ts';

export const ABSENCE_TYPES = [
  'workforce.timesheet.clock_in_missing',
  'workforce.timesheet.clock_in_missing_cleared',
  'workforce.timesheet.clock_out_missing',
  'workforce.timesheet.clock_out_missing_cleared',
] as const;
export type AbsenceType = (typeof ABSENCE_TYPES)[number];

/** Fields that make another matter of a missing clocking, although it may still be missing. */
export const MOVING_CLOCKINGS: readonly string[] = ['date', 'employeeId'];

const MINUTE_MS = 60_000;
/** Up to this, minutes say it better than hours. */
const MAX_MINUTES = 90;

export function isAbsenceType(type: string): type is AbsenceType {
  return (ABSENCE_TYPES as readonly string[]).includes(type);
}

interface AbsenceContext {
  readonly data: { readonly current: EventState; readonly observed: { readonly by: string } };
  /** Leaves out the day of the timesheet. */
  readonly onItsDay: MessageTimeContext;
  readonly audience?: Pick<Audience, 'isHeld'>;
}

/** `no clock-in, planned 08:00 (15 minutes ago)`; `clocked in at 08:22 after all, planned 08:00`. */
export function describeAbsence(type: AbsenceType, context: AbsenceContext): string {
  const isIn = type.includes('_in_');
  const noun = isIn ? 'clock-in' : 'clock-out';
  if (!type.endsWith('_cleared')) return `no ${noun}${describePlan(isIn, context)}`;
  return describeClocking(isIn, context) ?? `no ${noun} expected any more${describeReason(isIn, context)}`;
}

/** `, still no clock-in` for a timesheet of another date or employee; `; no clock-in expected any more` for one that is gone. */
export function describeOpenClocking(
  type: string,
  { current, previous, changed }: { current: EventState; previous: EventState; changed: readonly string[] },
): string {
  if (type === 'workforce.timesheet.removed') {
    const noun = findMissing(previous);
    return noun === null ? '' : `; no ${noun} expected any more`;
  }
  const noun = changed.some((field) => MOVING_CLOCKINGS.includes(field)) ? findMissing(current) : null;
  return noun === null ? '' : `, still no ${noun}`;
}

function findMissing(state: EventState): string | null {
  if (readText(state, 'clockInMissing') !== null) return 'clock-in';
  return readText(state, 'clockOutMissing') === null ? null : 'clock-out';
}

function readPlanned(isIn: boolean, { data: { current }, onItsDay }: AbsenceContext): number | null {
  const [startTime, finishTime] = [readText(current, 'startTime'), readText(current, 'finishTime')];
  const { start, finish } = readPlan({ startTime, finishTime }, onItsDay.timeZone);
  return isIn ? start : finish;
}

function describePlan(isIn: boolean, context: AbsenceContext): string {
  const planned = readPlanned(isIn, context);
  if (planned === null) return '';
  if (context.audience?.isHeld === true) return `, planned ${formatMoment(planned, context.onItsDay)}`;
  const minutes = Math.floor((Date.parse(context.data.observed.by) - planned) / MINUTE_MS);
  return `, planned ${formatMoment(planned, context.onItsDay)} (${formatWait(minutes)} ago)`;
}

/** `15 minutes`, `3.5 h`. */
function formatWait(minutes: number): string {
  if (minutes > MAX_MINUTES) return formatHours(Math.floor(minutes / 6) / 10);
  return `${formatNumber(minutes)} ${minutes === 1 ? 'minute' : 'minutes'}`;
}

/** The clocking that came; null when there is none. */
function describeClocking(isIn: boolean, context: AbsenceContext): string | null {
  const clocking = context.data.current?.[isIn ? 'clockIn' : 'clockOut'] ?? null;
  if (clocking === null) return null;
  const time = readClockTime(clocking, context.onItsDay);
  const planned = readPlanned(isIn, context);
  const plan = planned === null ? '' : `, planned ${formatMoment(planned, context.onItsDay)}`;
  return `clocked ${isIn ? 'in' : 'out'}${time === null ? '' : ` ${time.at}`} after all${plan}`;
}

/** Why nobody waits for the clocking any more. */
function describeReason(isIn: boolean, context: AbsenceContext): string {
  const { current } = context.data;
  if (readText(current, 'processed') !== null) return ': processed as it is';
  if (readText(current, 'approvedHours') !== null) return ': approved as it is';
  if (readText(current, 'approvedPayroll') !== null) return ': approved for payroll as it is';
  if (isIn && current?.includesLeave === true) return ': on leave';
  if (!isIn && current?.clockIn === null) return ': the clock-in was removed';
  const planned = readPlanned(isIn, context);
  return planned === null ? '' : `: planned ${formatMoment(planned, context.onItsDay)} now`;
}
