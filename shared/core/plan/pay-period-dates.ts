import type { PayPeriodHint } from '../records/pay-period.ts';

/** Whether a pay period covers a date. */
export function covers(period: Pick<PayPeriodHint, 'startDate' | 'finishDate'>, date: string): boolean {
  return period.startDate <= date && date <= period.finishDate;
}

/** Whether every pay period that covers a date is closed, and there is one: then a change on it is late. */
export function createIsClosed(payPeriods: readonly PayPeriodHint[]): (date: string) => boolean {
  return (date) => {
    const covering = payPeriods.filter((period) => covers(period, date));
    return covering.length > 0 && covering.every(({ closed }) => closed);
  };
}
