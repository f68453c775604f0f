import { addDays, parseInstant, toIso, toLocalDate, toLocalTime } from '../dates.ts';
import type { Json } from './fields.ts';

/**
 * Clockings that are missing: a fact that time alone makes of a record. A source that is read says who has not clocked
 * in by then; so the fact is judged with each read, from the record, the instant at which it was requested, and the
 * thresholds.
 */

/** Fields of the missing clockings, which no member of a source record holds. */
export const ABSENCE_FIELDS = ['clockInMissing', 'clockOutMissing'] as const;
export type AbsenceField = (typeof ABSENCE_FIELDS)[number];

/** How long after the planned time a clocking counts as missing, in milliseconds; never when absent. */
export interface AbsenceThresholds {
  readonly clockInMs?: number | undefined;
  readonly clockOutMs?: number | undefined;
}

/** Thresholds, and since when they are in force, in milliseconds since 1970. */
export interface AbsencePeriod extends AbsenceThresholds {
  readonly since: number;
}

/**
 * Thresholds over time, the earliest first. Those in force at the planned time of a clocking count for it: so a clocking
 * is judged by the same thresholds for ever, and another configuration changes nothing that is missing already.
 */
export interface AbsenceRules {
  readonly periods: readonly AbsencePeriod[];
  /** The connection's, for date-times without an offset. */
  readonly timeZone: string;
}

/** What is known of a timesheet's plan and clockings, unchecked. */
export interface PlannedClockings {
  readonly startTime: Json;
  readonly finishTime: Json;
  readonly clockIn: Json;
  readonly clockOut: Json;
  readonly includesLeave: Json;
  /** Hours, payroll approval and processing: once one of them is there, no clocking is waited for. */
  readonly settled: readonly Json[];
}

/** Per field the instant since which the clocking is missing, as RFC 3339; null when it is not. */
export type JudgedAbsences = Readonly<Record<AbsenceField, string | null>>;

/** Never throws for a bad record. `at`: when it was requested, in milliseconds since 1970. */
export function judgeAbsences(planned: PlannedClockings, rules: AbsenceRules, at: number): JudgedAbsences {
  const dueAt = findDueInstants(planned, rules);
  const judge = (instant: number | null) => (instant !== null && instant <= at ? toIso(instant) : null);
  return { clockInMissing: judge(dueAt.clockInMissing), clockOutMissing: judge(dueAt.clockOutMissing) };
}

/** From when on a clocking is missing if the record stays as it is; null when it is not waited for. */
function findDueInstants(
  planned: PlannedClockings,
  { periods, timeZone }: AbsenceRules,
): Record<AbsenceField, number | null> {
  const { clockIn, clockOut, includesLeave, settled } = planned;
  const plan = readPlan(planned, timeZone);
  const isOpen = settled.every((value) => value === null);
  const isInDue = isOpen && clockIn === null && includesLeave === false;
  const isOutDue = isOpen && isClockRecord(clockIn) && clockOut === null;
  return {
    clockInMissing: isInDue ? findDue(plan.start, 'clockInMs', periods) : null,
    clockOutMissing: isOutDue ? findDue(plan.finish, 'clockOutMs', periods) : null,
  };
}

function isClockRecord(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

function findDue(
  plannedAt: number | null,
  threshold: keyof AbsenceThresholds,
  periods: readonly AbsencePeriod[],
): number | null {
  if (plannedAt === null) return null;
  const wait = periods.findLast(({ since }) => since <= plannedAt)?.[threshold];
  return wait === undefined ? null : plannedAt + wait;
}

/** Planned start and finish in milliseconds since 1970; null where the record names none. */
export function readPlan(
  { startTime, finishTime }: Pick<PlannedClockings, 'startTime' | 'finishTime'>,
  timeZone: string,
): { readonly start: number | null; readonly finish: number | null } {
  const start = readMoment(startTime, timeZone);
  const finish = readMoment(finishTime, timeZone);
  if (start === null || finish === null || finish >= start) return { start, finish };
  return { start, finish: toNextDay(finish, timeZone) };
}

function readMoment(value: Json, timeZone: string): number | null {
  return typeof value === 'string' ? parseInstant(value, timeZone) : null;
}

/** The same time by the clocks of the zone, a day later: a finish before the start belongs to an overnight shift. */
function toNextDay(instant: number, timeZone: string): number {
  // Before 1970 it is a placeholder of the source, and dates of the year 0 have no such form.
  if (instant < 0) return instant;
  const date = addDays(toLocalDate(instant, timeZone), 1);
  const minute = parseInstant(`${date}T${toLocalTime(instant, timeZone)}`, timeZone);
  return (minute ?? instant) + (instant % 60_000);
}
