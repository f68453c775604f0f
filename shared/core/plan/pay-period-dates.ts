import type { PayPeriodHint } from '../records/pay-period.ts';

export function covers(period: Pick<PayPeriodHint, 'startDate' | 'finishDate'>, date: string): boolean {
  return period.startDate <= date && date <= period.finishDate;
}

/** Answers whether a date is covered, and by closed pay periods only: then a change on it is late. */
export function createIsClosed(payPeriods: readonly PayPeriodHint[]): (date: string) => boolean {
  return (date) => {
    const covering = payPeriods.filter((period) => covers(period, date));
    return covering.length > 0 && covering.every(({ closed }) => closed);
  };
}
