import type { PayPeriodHint } from '../records/pay-period.ts';

export function covers(period: Pick<PayPeriodHint, 'startDate' | 'finishDate'>, date: string): boolean {
  return period.startDate <= date && date <= period.finishDate;
}
