import { isMisdated } from '../clock-tolerance.ts';
import { addDays } from '../dates.ts';
import type { State } from '../records/fields.ts';
import { covers, type KnownPeriod, type PayPeriodTotals, subtractTotals } from '../records/pay-period.ts';
import { computeBackoff, WAITS } from '../waits.ts';
import { type EmployeeMembership, type Membership, namedAtOf } from './membership.ts';

/** The longest pay period: who has timesheets in every period is asked about once in each, so that the answer is kept. */
const REFRESH_KNOWN_MS = 62 * 24 * 60 * 60_000;
/** The dates of a period are searched for new employees that often, once all of them were asked. */
const SURVEY_EVERY_MS = 60 * 60_000;
/** Open periods that are surveyed: older ones were forgotten by those who close them. */
const MAX_SURVEYED_PERIODS = 6;
/** A longer period is an input error. */
const MAX_PERIOD_DAYS = 62;

/** A pay period as far as its members depend on it. */
export type PeriodOfCalendar = Pick<KnownPeriod, 'id' | 'calendar' | 'startDate' | 'finishDate'>;

/** A timesheet as far as its pay period depends on it. */
export interface OwnedTimesheet {
  readonly id: string;
  readonly employeeId: string | null;
  readonly date: string;
}

/** What is known of a connection's periods, and of who belongs to which calendar. */
export interface KnownCalendars {
  readonly periods: readonly PeriodOfCalendar[];
  readonly membership: Membership;
}

/**
 * Whether a timesheet belongs to a pay period; null when that is not known. A period that shares its dates with no
 * other has all timesheets on them. Otherwise the calendar of the employee decides (ADR 19).
 */
export function belongsTo(
  { employeeId, date }: OwnedTimesheet,
  period: PeriodOfCalendar,
  { periods, membership }: KnownCalendars,
): boolean | null {
  if (!covers(period, date)) return false;
  const sharing = findSharing(period, periods);
  if (sharing.length === 0) return true;
  const calendar = membership.employees.get(employeeId ?? '')?.calendar ?? null;
  if (calendar === null) return null;
  if (calendar !== period.calendar) return false;
  // Of two periods of one calendar nothing says which has a date that is in both.
  const isInBoth = sharing.some((other) => other.calendar === calendar && covers(other, date));
  return isInBoth ? null : true;
}

/**
 * Without employees whose calendar is named otherwise by now: the period that named it has another one, or none has it
 * any more. They count as never asked.
 */
export function dropOutdated(membership: Membership, periods: readonly PeriodOfCalendar[]): Membership {
  const calendars = new Set(periods.map(({ calendar }) => calendar));
  const byPeriod = new Map(periods.map(({ id, calendar }) => [id, calendar]));
  const isCurrent = ({ calendar, periodId }: EmployeeMembership) =>
    calendar === null ||
    (byPeriod.has(periodId) ? byPeriod.get(periodId) === calendar : calendars.has(calendar));
  const employees = new Map([...membership.employees].filter(([, entry]) => isCurrent(entry)));
  return { ...membership, employees };
}

type Span = Pick<KnownPeriod, 'id' | 'startDate' | 'finishDate'>;

/** Other periods that share dates with one: the source does not say to which of them a timesheet belongs. */
export function findSharing<Period extends Span>(
  { id, startDate, finishDate }: Span,
  periods: readonly Period[],
): Period[] {
  return periods.filter(
    (other) => other.id !== id && other.startDate <= finishDate && other.finishDate >= startDate,
  );
}

/** Whether the calendar of an employee tells a period from those that share its dates. */
export function isDistinctByCalendar(
  period: PeriodOfCalendar,
  sharing: readonly PeriodOfCalendar[],
): boolean {
  return sharing.every(({ calendar }) => calendar !== period.calendar);
}

/** Open periods whose employees are to be asked for, the newest first: begun, and sharing dates with others. */
export function selectPeriodsToSurvey(
  periods: readonly KnownPeriod[],
  { surveys }: Pick<Membership, 'surveys'>,
  { today, now }: { readonly today: string; readonly now: number },
): KnownPeriod[] {
  const isFresh = (id: string) => {
    const at = surveys.get(id) ?? 0;
    return !isMisdated(at, now) && now - at < SURVEY_EVERY_MS;
  };
  return periods
    .filter(({ closed, startDate }) => !closed && startDate <= today)
    .filter(({ startDate, finishDate }) => finishDate <= addDays(startDate, MAX_PERIOD_DAYS))
    .filter((period) => isDistinctAmong(period, periods))
    .sort((a, b) => compareNewest(a, b))
    .slice(0, MAX_SURVEYED_PERIODS)
    .filter(({ id }) => !isFresh(id));
}

function isDistinctAmong(period: KnownPeriod, periods: readonly KnownPeriod[]): boolean {
  const sharing = findSharing(period, periods);
  return sharing.length > 0 && isDistinctByCalendar(period, sharing);
}

function compareNewest(a: KnownPeriod, b: KnownPeriod): number {
  if (a.startDate !== b.startDate) return a.startDate < b.startDate ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

/** An employee whose calendar is known is asked about again so long after, where the numbers of a period differ. */
const ASK_KNOWN_AGAIN_MS = 20 * 60 * 60_000;

/** The timesheets on the dates of a period: those of its calendar, and those of employees whose calendar is unknown. */
interface OwnershipTotals {
  readonly own: PayPeriodTotals;
  readonly unknown: PayPeriodTotals;
}

/** Hours of a period are rounded by their source. */
const MIN_HOURS_APART = 0.01;

/**
 * Whether the timesheets that count as a period's own cannot be those of the source, so that an employee may have changed
 * to another calendar; those of unknown employees may be its own or not. A source without totals is not compared (null).
 * Hours move while people work: they are compared where both were read after the period closed.
 */
export function differsFromSource(
  { own, unknown }: OwnershipTotals,
  source: PayPeriodTotals | null,
  { comparesHours }: { readonly comparesHours: boolean },
): boolean | null {
  if (source === null) return null;
  const { timesheets, employees, hours } = subtractTotals(source, own);
  const isApart = (difference: number, most: number, least = 0) =>
    difference < -least || difference > most + least;
  return (
    isApart(timesheets, unknown.timesheets) ||
    isApart(employees, unknown.employees) ||
    (comparesHours && isApart(hours, unknown.hours, MIN_HOURS_APART))
  );
}

/**
 * Employees to ask about once more where the numbers of a period differ, or (null) cannot be compared and the answer was
 * about another period: those whose answer is oldest first.
 */
export function selectKnownToAsk(
  period: Pick<PeriodOfCalendar, 'id'>,
  { employees }: Pick<Membership, 'employees'>,
  { differs, now }: { readonly differs: boolean | null; readonly now: number },
): string[] {
  if (differs === false) return [];
  const isOld = ({ calendar, periodId, askedAt }: EmployeeMembership) =>
    calendar !== null &&
    (askedAt > now || now - askedAt >= ASK_KNOWN_AGAIN_MS) &&
    (differs === true || periodId !== period.id);
  return [...employees]
    .filter(([, entry]) => isOld(entry))
    .sort(([, a], [, b]) => a.askedAt - b.askedAt)
    .map(([id]) => id);
}

/** Whether an employee is to be asked about: never asked, long ago, or without an answer and the wait is over. */
export function isDueToAsk(entry: EmployeeMembership | undefined, now: number): boolean {
  if (entry === undefined) return true;
  const { calendar, askedAt, tries = calendar === null ? 1 : 0 } = entry;
  const waitMs = tries === 0 ? REFRESH_KNOWN_MS : computeBackoff(tries, WAITS.unknownCalendar);
  return isMisdated(askedAt, now) || now - askedAt >= waitMs;
}

/** A period and those that share its dates, one after another until one of them has the timesheets of an employee. */
export function orderPeriodsToAsk(
  period: KnownPeriod,
  { periods, membership }: { readonly periods: readonly KnownPeriod[]; readonly membership: Membership },
): KnownPeriod[] {
  const counts = new Map<string, number>();
  for (const { calendar } of membership.employees.values()) {
    if (calendar !== null) counts.set(calendar, (counts.get(calendar) ?? 0) + 1);
  }
  const countOf = ({ calendar }: KnownPeriod) => counts.get(calendar) ?? 0;
  // The calendar of most employees first: it is most likely the right one.
  return [period, ...findSharing(period, periods)].sort((a, b) => countOf(b) - countOf(a));
}

/** What the source answered for one employee and one pay period. */
export interface MemberAnswer {
  readonly period: PeriodOfCalendar;
  /** Ids of the known timesheets of the employee on the dates of the period. */
  readonly known: readonly string[];
  /** Ids of those that are in the period; null when the source failed to say. */
  readonly members: ReadonlySet<string> | null;
}

/**
 * What the answers of a period say of an employee's calendar. Who has timesheets in it that were not read yet is of it,
 * too: only beside known ones that are not in it does that say nothing.
 */
export function readAnswer({ known, members }: MemberAnswer): 'own' | 'other' | 'mixed' | 'unknown' {
  if (members === null) return 'unknown';
  if (known.length === 0) return members.size === 0 ? 'unknown' : 'own';
  const count = known.filter((id) => members.has(id)).length;
  if (count === known.length) return 'own';
  return count === 0 && members.size === 0 ? 'other' : 'mixed';
}

/** Of so many periods it is remembered when they were asked about besides: more hardly ever differ at once. */
const MAX_BESIDES = 4;

/** What is known of an employee after an answer. An employee of more than one calendar has none. */
export function learnFromAnswer(
  before: EmployeeMembership | undefined,
  answer: MemberAnswer,
  now: number,
): EmployeeMembership {
  const said = readAnswer(answer);
  const { id: periodId, calendar } = answer.period;
  if (said === 'own') return { calendar, periodId, askedAt: now };
  const isKept =
    said === 'unknown' || (said === 'other' && before !== undefined && before.calendar !== calendar);
  const tries = (before?.tries ?? 0) + 1;
  if (!isKept || before?.calendar == null) return { calendar: null, periodId, askedAt: now, tries };
  const { tries: _, ...kept } = { ...before, askedAt: now, namedAt: namedAtOf(before) };
  if (answer.members === null) return { ...kept, tries };
  const others = Object.entries(before.besides ?? {}).filter(([id]) => id !== periodId);
  return { ...kept, besides: Object.fromEntries([...others, [periodId, now]].slice(-MAX_BESIDES)) };
}

/**
 * When the source last said whether an employee belongs to a period, or to which calendar: a question that failed, or
 * was about another period, says nothing of it. 0 for never.
 */
export function answeredAtOf(
  entry: EmployeeMembership,
  { id }: Pick<PeriodOfCalendar, 'id'>,
  now: number,
): number {
  const instants = [namedAtOf(entry), entry.besides?.[id] ?? 0];
  return Math.max(0, ...instants.filter((at) => !isMisdated(at, now)));
}

/** What is known of a connection's pay periods, and of who belongs to which calendar. */
interface KnownPeriods extends KnownCalendars {
  readonly periods: readonly KnownPeriod[];
}

/** The pay periods that a timesheet belongs to. */
export interface TimesheetPeriods {
  readonly periods: readonly KnownPeriod[];
  /** It is known to belong to each of these and to no other; false: it may belong to any of them. */
  readonly isKnown: boolean;
}

/** Calendar of an employee and date say which periods a timesheet belongs to; null when no list of periods is known. */
export type PeriodFinder = (timesheet: OwnedTimesheet) => TimesheetPeriods | null;

/**
 * The pay periods of a timesheet. Where `belongsTo` cannot tell, and where its employee's calendar has no period on its
 * date, they are those on the date that it may belong to.
 */
export function findTimesheetPeriods(timesheet: OwnedTimesheet, known: KnownPeriods): TimesheetPeriods {
  const covering = known.periods.filter((period) => covers(period, timesheet.date));
  const answers = covering.map((period) => ({ period, belongs: belongsTo(timesheet, period, known) }));
  const own = answers.filter(({ belongs }) => belongs === true).map(({ period }) => period);
  const isKnown = own.length > 0 && answers.every(({ belongs }) => belongs !== null);
  if (isKnown || covering.length === 0) return { periods: own, isKnown: true };
  const possible = answers.filter(({ belongs }) => belongs !== false).map(({ period }) => period);
  return { periods: possible.length > 0 ? possible : covering, isKnown: false };
}

/** The pay periods of a record in a state; null when no list of periods is known, or it is no timesheet. */
export function findPeriodsOf(
  { id, state }: { readonly id: string; readonly state: State },
  find: PeriodFinder,
): TimesheetPeriods | null {
  const { date, employeeId } = state;
  if (typeof date !== 'string') return null;
  return find({ id, date, employeeId: typeof employeeId === 'string' ? employeeId : null });
}
