import { addDays, parseInstant, toIso, toLocalDate, toLocalTime } from '../dates.ts';
import type { Json, State } from './fields.ts';

/**
 * Clockings that are missing: a fact that time alone makes of a timesheet. It is told once, for a planned start or
 * finish so many minutes past, and ends when the clocking comes or is not waited for any more.
 */

/** Members of an event's state that say so, which no member of a source record holds. */
export const ABSENCE_FIELDS = ['clockInMissing', 'clockOutMissing'] as const;

/** How long after the planned time a clocking counts as missing, in milliseconds; never when absent. */
export interface AbsenceRules {
  readonly clockInMs?: number | undefined;
  readonly clockOutMs?: number | undefined;
  /** The connection's, for a finish after midnight. */
  readonly timeZone: string;
}

/** Since when clockings are missing, in milliseconds since 1970; absent for one that is not. */
export interface Missing {
  readonly clockIn?: number;
  readonly clockOut?: number;
}

/** A clocking that has been missing for longer is not told any more: whoever is entered for last week needs no reminder. */
const MAX_TELLING_DELAY_MS = 24 * 3_600_000;
/** Once a person has approved or processed a timesheet, no clocking is waited for. */
const ENDS_WAITING = ['approvedHours', 'approvedPayroll', 'processed'];

/** From when on each clocking is missing if the timesheet stays as it is; absent where it is not waited for. */
export function findDueInstants(state: State, rules: AbsenceRules): Missing {
  const { clockIn, clockOut, includesLeave } = state;
  if (ENDS_WAITING.some((field) => state[field] != null)) return {};
  const plan = readPlan(state, rules.timeZone);
  if (clockIn == null && includesLeave === false) return due('clockIn', plan.start, rules.clockInMs);
  return clockIn != null && clockOut == null ? due('clockOut', plan.finish, rules.clockOutMs) : {};
}

function due(clocking: keyof Missing, plannedAt: number | null, waitMs: number | undefined): Missing {
  return plannedAt === null || waitMs === undefined ? {} : { [clocking]: plannedAt + waitMs };
}

/**
 * What is told as missing of a timesheet at an instant: what was told stays while it is waited for, and what became due
 * within the last day is new.
 */
export function judgeMissing(
  state: State,
  told: Missing,
  { rules, at }: { readonly rules: AbsenceRules; readonly at: number },
): Missing {
  const dueAt = findDueInstants(state, rules);
  const judge = (clocking: keyof Missing): Missing => {
    const instant = dueAt[clocking];
    // A plan that was put off begins the wait anew.
    if (instant === undefined || instant > at) return {};
    const since = told[clocking];
    if (since !== undefined) return { [clocking]: since };
    return at - instant <= MAX_TELLING_DELAY_MS ? { [clocking]: instant } : {};
  };
  return { ...judge('clockIn'), ...judge('clockOut') };
}

/** The members of an event's state that say so. */
export function showMissing({ clockIn, clockOut }: Missing): Readonly<Record<string, Json>> {
  return {
    ...(clockIn === undefined ? {} : { clockInMissing: toIso(clockIn) }),
    ...(clockOut === undefined ? {} : { clockOutMissing: toIso(clockOut) }),
  };
}

/** Planned start and finish in milliseconds since 1970; null where the record names none. */
export function readPlan(
  { startTime, finishTime }: State,
  timeZone: string,
): { readonly start: number | null; readonly finish: number | null } {
  const [start, finish] = [readMoment(startTime, timeZone), readMoment(finishTime, timeZone)];
  if (start === null || finish === null || finish >= start) return { start, finish };
  return { start, finish: toNextDay(finish, timeZone) };
}

function readMoment(value: Json, timeZone: string): number | null {
  return typeof value === 'string' ? parseInstant(value, timeZone) : null;
}

/** The same time by the clocks of the zone, a day later: a finish before the start belongs to an overnight shift. */
function toNextDay(instant: number, timeZone: string): number {
  const date = addDays(toLocalDate(instant, timeZone), 1);
  const minute = parseInstant(`${date}T${toLocalTime(instant, timeZone)}`, timeZone);
  return (minute ?? instant) + (instant % 60_000);
}
