import { type Language, languageOf, sayCount } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
import { formatAt, formatMoment, type MessageTimeContext } from '../core/messages/moments.ts';
import { formatHours } from '../core/messages/numbers.ts';
import { type Audience, type EventState, readText } from '../core/messages/record-events.ts';
import { readPlan } from './absences.ts';

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
