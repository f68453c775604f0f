import { readPlan } from '../../core/records/absences.ts';
import { formatAt, formatMoment, type MessageTimeContext } from './moments.ts';
import { formatCount, formatHours } from './numbers.ts';
import { type Audience, type EventState, readText } from './record-events.ts';

const MINUTE_MS = 60_000;
/** Up to this, minutes say it better than hours. */
const MAX_MINUTES = 90;

interface AbsenceContext {
  readonly data: { readonly current: EventState; readonly observed: { readonly by: string } };
  /** Leaves out the day of the timesheet. */
  readonly onItsDay: MessageTimeContext;
  readonly audience?: Pick<Audience, 'isHeld'>;
}

type Clocking = 'clockIn' | 'clockOut';

/** `no clock-in, planned 08:00 (15 minutes ago)`. */
export function describeMissing(clocking: Clocking, context: AbsenceContext): string {
  return [clocking === 'clockIn' ? 'no clock-in' : 'no clock-out', ...describePlan(clocking, context)].join(
    ', ',
  );
}

/** `Ana Lee has not clocked in; the shift began at 08:00`. */
export function describeAbsent(clocking: Clocking, context: AbsenceContext, person: string): string {
  const isIn = clocking === 'clockIn';
  const absent = `${person} has not clocked ${isIn ? 'in' : 'out'}`;
  const planned = readPlanned(clocking, context);
  if (planned === null) return absent;
  const isHeld = context.audience?.isHeld === true;
  const at = formatAt(planned, isHeld ? { ...context.onItsDay, day: null } : context.onItsDay);
  return `${absent}; the shift ${isIn ? 'began' : 'ended'} ${at}`;
}

function readPlanned(clocking: Clocking, { data: { current }, onItsDay }: AbsenceContext): number | null {
  const [startTime, finishTime] = [readText(current, 'startTime'), readText(current, 'finishTime')];
  const { start, finish } = readPlan({ startTime, finishTime }, onItsDay.timeZone);
  return clocking === 'clockIn' ? start : finish;
}

/** `planned 08:00 (15 minutes ago)`; nothing where it is not known. */
export function describePlan(clocking: Clocking, context: AbsenceContext): string[] {
  const planned = readPlanned(clocking, context);
  if (planned === null) return [];
  if (context.audience?.isHeld === true) return [sayPlanned(planned, context)];
  const minutes = Math.floor((Date.parse(context.data.observed.by) - planned) / MINUTE_MS);
  const moment = formatMoment(planned, context.onItsDay);
  return [`planned ${moment} (${formatWait(minutes)} ago)`];
}

function sayPlanned(planned: number, { onItsDay }: AbsenceContext): string {
  return `planned ${formatMoment(planned, onItsDay)}`;
}

/** `15 minutes`, `3.5 h`. */
function formatWait(minutes: number): string {
  if (minutes > MAX_MINUTES) return formatHours(Math.floor(minutes / 6) / 10);
  return formatCount(minutes, 'minute');
}
