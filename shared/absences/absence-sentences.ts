import { readClockTime } from '../core/messages/clock-times.ts';
import { formatAt, formatMoment, type MessageTimeContext } from '../core/messages/moments.ts';
import { formatHours, formatNumber } from '../core/messages/numbers.ts';
import { type Audience, type EventState, readText } from '../core/messages/record-events.ts';
import { readPlan } from './absences.ts';

/** Fields that make another matter of a missing clocking, although it may still be missing. */
export const MOVING_CLOCKINGS: readonly string[] = ['date', 'employeeId'];

const MINUTE_MS = 60_000;
/** Up to this, minutes say it better than hours. */
const MAX_MINUTES = 90;

interface AbsenceContext {
  readonly data: { readonly current: EventState; readonly observed: { readonly by: string } };
  /** Leaves out the day of the timesheet. */
  readonly onItsDay: MessageTimeContext;
  readonly audience?: Pick<Audience, 'isHeld'>;
}

type Clocking = 'clock-in' | 'clock-out';

/** `no clock-in, planned 08:00 (15 minutes ago)`. */
export function describeMissing(noun: Clocking, context: AbsenceContext): string {
  return `no ${noun}${describePlan(noun === 'clock-in', context)}`;
}

/** ` has not clocked in; the shift began at 08:00`, after the name of a person. */
export function describeAbsent(noun: Clocking, context: AbsenceContext): string {
  const isIn = noun === 'clock-in';
  const planned = readPlanned(isIn, context);
  const isHeld = context.audience?.isHeld === true;
  const at =
    planned === null ? '' : formatAt(planned, isHeld ? { ...context.onItsDay, day: null } : context.onItsDay);
  const shift = at === '' ? '' : `; the shift ${isIn ? 'began' : 'ended'} ${at}`;
  return ` has not clocked ${isIn ? 'in' : 'out'}${shift}`;
}

/** `clocked in at 08:22 after all, planned 08:00`; `no clock-in expected any more: on leave`. */
export function describeCleared(noun: Clocking, context: AbsenceContext): string {
  const isIn = noun === 'clock-in';
  return describeClocking(isIn, context) ?? `no ${noun} expected any more${describeReason(isIn, context)}`;
}

/** `, still no clock-in` for a timesheet that is of another date or employee now. */
export function describeMoved({
  current,
  changed,
}: {
  readonly current: EventState;
  readonly changed: readonly string[];
}): string {
  const noun = changed.some((field) => MOVING_CLOCKINGS.includes(field)) ? findMissing(current) : null;
  return noun === null ? '' : `, still no ${noun}`;
}

/** `; no clock-in expected any more` for a timesheet that is gone. */
export function describeGone({ previous }: { readonly previous: EventState }): string {
  const noun = findMissing(previous);
  return noun === null ? '' : `; no ${noun} expected any more`;
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
