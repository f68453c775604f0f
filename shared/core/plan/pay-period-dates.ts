import type { PayPeriodHint } from '../records/pay-period.ts';

/** A closed pay period that a late change belongs to. */
export interface ClosedPeriod {
  readonly id: string;
  /** Name of the pay calendar; null where an older version stored the period. */
  readonly calendar: string | null;
}

export function covers(period: Pick<PayPeriodHint, 'startDate' | 'finishDate'>, date: string): boolean {
  return period.startDate <= date && date <= period.finishDate;
}

/**
 * The pay periods of a date, when all of them are closed: then a change on it is late. Of several calendars only that
 * of the employee counts; where it is not known (null), or has no period on the date, all that cover it. Empty when
 * one is open, or none covers it.
 */
export function findClosedPeriods(
  payPeriods: readonly PayPeriodHint[],
  date: string,
  calendarOfEmployee: string | null = null,
): ClosedPeriod[] {
  const covering = payPeriods.filter((period) => covers(period, date));
  const own = covering.filter(({ calendar }) => calendar != null && calendar === calendarOfEmployee);
  const counting = own.length > 0 ? own : covering;
  if (!counting.every(({ closed }) => closed)) return [];
  return counting.map(({ id, calendar }) => ({ id, calendar: calendar ?? null }));
}

/** Whether it depends on the calendar of an employee which closings count on a date. */
export function isClosedByCalendar(payPeriods: readonly PayPeriodHint[], date: string): boolean {
  const covering = payPeriods.filter((period) => covers(period, date));
  return covering.length > 1 && covering.some(({ closed }) => closed);
}
