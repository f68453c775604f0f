import { covers } from '../core/plan/pay-period-dates.ts';
import type { State } from '../core/records/feed-definition.ts';
import type { PayPeriodHint } from '../core/records/pay-period.ts';
import { belongsTo, findSharing, type KnownCalendars, type OwnedTimesheet } from './learn-membership.ts';

/** What is known of a connection's pay periods, and of who belongs to which calendar. */
export interface KnownPeriods extends KnownCalendars {
  readonly periods: readonly PayPeriodHint[];
}

/** The pay periods that a timesheet belongs to. */
export interface TimesheetPeriods {
  readonly periods: readonly PayPeriodHint[];
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

/** Whether it depends on the calendar of an employee to which pay period a date belongs. */
export function isToldByEmployee(periods: readonly PayPeriodHint[], date: string): boolean {
  return periods.some((period) => covers(period, date) && findSharing(period, periods).length > 0);
}
