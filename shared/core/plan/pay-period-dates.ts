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
 * The pay periods that cover a date, when all of them are closed: then a change on it is late. Empty when one is open,
 * or none covers it.
 */
export function findClosedPeriods(payPeriods: readonly PayPeriodHint[], date: string): ClosedPeriod[] {
  const covering = payPeriods.filter((period) => covers(period, date));
  if (!covering.every(({ closed }) => closed)) return [];
  return covering.map(({ id, calendar }) => ({ id, calendar: calendar ?? null }));
}
