import { type Language, languageOf, sayCount } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
import { readClockTime } from '../core/messages/clock-times.ts';
import { formatAt, formatMoment, type MessageTimeContext } from '../core/messages/moments.ts';
import { formatHours } from '../core/messages/numbers.ts';
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

type Clocking = 'clockIn' | 'clockOut';

/** `no clock-in, planned 08:00 (15 minutes ago)`. */
export function describeMissing(clocking: Clocking, context: AbsenceContext): string {
  const { missing } = languageOf(context.onItsDay).absences[clocking];
  return [missing, ...describePlan(clocking, context)].join(', ');
}

/** `Ana Lee has not clocked in; the shift began at 08:00`. */
export function describeAbsent(clocking: Clocking, context: AbsenceContext, person: string): string {
  const words = languageOf(context.onItsDay).absences[clocking];
  const planned = readPlanned(clocking, context);
  if (planned === null) return say(words.absent, { person });
  const isHeld = context.audience?.isHeld === true;
  const at = formatAt(planned, isHeld ? { ...context.onItsDay, day: null } : context.onItsDay);
  return say(words.absentSince, { person, at });
}

/** `clocked in at 08:22 after all`; `no clock-in expected any more: on leave`. */
export function describeClearedBriefly(clocking: Clocking, context: AbsenceContext): string {
  const words = languageOf(context.onItsDay).absences[clocking];
  const came = readClocking(clocking, context);
  if (came === null) {
    const reason = describeReason(clocking, context);
    return reason === null ? words.notExpected : say(words.notExpectedSince, { reason });
  }
  const time = readClockTime(came, context.onItsDay);
  return time === null ? words.came : say(words.cameAt, { at: time.at });
}

/** `clocked in at 08:22 after all, planned 08:00`. */
export function describeCleared(clocking: Clocking, context: AbsenceContext): string {
  const planned = readClocking(clocking, context) === null ? null : readPlanned(clocking, context);
  const plan = planned === null ? [] : [sayPlanned(planned, context)];
  return [describeClearedBriefly(clocking, context), ...plan].join(', ');
}

/** `, still no clock-in` for a timesheet that is of another date or employee now. */
export function describeMoved(
  { current, changed }: { readonly current: EventState; readonly changed: readonly string[] },
  { absences }: Language,
): string {
  const clocking = changed.some((field) => MOVING_CLOCKINGS.includes(field)) ? findMissing(current) : null;
  return clocking === null ? '' : absences[clocking].still;
}

/** `; no clock-in expected any more` for a timesheet that is gone. */
export function describeGone(
  { previous }: { readonly previous: EventState },
  { absences }: Language,
): string {
  const clocking = findMissing(previous);
  return clocking === null ? '' : absences[clocking].gone;
}

function findMissing(state: EventState): Clocking | null {
  if (readText(state, 'clockInMissing') !== null) return 'clockIn';
  return readText(state, 'clockOutMissing') === null ? null : 'clockOut';
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
  const language = languageOf(context.onItsDay);
  const minutes = Math.floor((Date.parse(context.data.observed.by) - planned) / MINUTE_MS);
  const moment = formatMoment(planned, context.onItsDay);
  return [say(language.absences.plannedAgo, { moment, wait: formatWait(minutes, language) })];
}

function sayPlanned(planned: number, { onItsDay }: AbsenceContext): string {
  return say(languageOf(onItsDay).absences.planned, { moment: formatMoment(planned, onItsDay) });
}

/** `15 minutes`, `3.5 h`. */
function formatWait(minutes: number, language: Language): string {
  if (minutes > MAX_MINUTES) return formatHours(Math.floor(minutes / 6) / 10, language);
  return sayCount(language.absences.minutes, minutes, language);
}

/** The clocking that came; null when there is none. */
function readClocking(clocking: Clocking, { data }: AbsenceContext): unknown {
  return data.current?.[clocking] ?? null;
}

/** Why nobody waits for the clocking any more. */
function describeReason(clocking: Clocking, context: AbsenceContext): string | null {
  const { current } = context.data;
  const { reasons } = languageOf(context.onItsDay).absences;
  if (readText(current, 'processed') !== null) return reasons.processed;
  if (readText(current, 'approvedHours') !== null) return reasons.approved;
  if (readText(current, 'approvedPayroll') !== null) return reasons.payrollApproved;
  if (clocking === 'clockIn' && current?.includesLeave === true) return reasons.leave;
  if (clocking === 'clockOut' && current?.clockIn === null) return reasons.clockInRemoved;
  const planned = readPlanned(clocking, context);
  if (planned === null) return null;
  return say(reasons.plannedNow, { moment: formatMoment(planned, context.onItsDay) });
}
