import { addDays } from '#shared/core/dates.ts';
import { type Step, type StepContext, stampOf } from './timesheet-steps.ts';
import type { RawRecord } from './truth.ts';

export function newPayPeriod(id: string, { random, today }: StepContext): RawRecord {
  const startDate = addDays(today, random.between(-9, 3));
  return {
    id,
    calendar: random.pick(['Weekly', 'Fortnightly']),
    startDate,
    finishDate: addDays(startDate, random.pick([3, 6, 13])),
    closed: null,
    payRollCompanyId: random.chance(0.5) ? '2_1' : null,
    payRollProvider: 'Provider',
  };
}

/** The last date there is. */
const NO_END = '9999-12-31';

const EDITS: readonly Step[] = [
  (record, { random }) => ({ ...record, calendar: `Calendar ${random.between(1, 99)}` }),
  (record) =>
    record.finishDate === NO_END ? null : { ...record, finishDate: addDays(String(record.finishDate), 1) },
  (record) => ({ ...record, startDate: addDays(String(record.startDate), -1) }),
  // A date that somebody mistyped, or that stands for no end.
  (record, { random }) => ({ ...record, finishDate: random.pick([NO_END, '2999-01-01']) }),
  (record, { random }) => ({ ...record, payRollCompanyId: `2_${random.between(2, 99)}` }),
  (record, { random }) => ({ ...record, payRollProvider: `Provider ${random.between(1, 99)}` }),
];

/** As a date, or as an instant. */
export function closedNow(context: StepContext): string {
  return context.random.chance(0.4) ? context.today : stampOf(context);
}

export const PAY_PERIOD_STEPS: Readonly<Record<string, Step>> = {
  close: (record, context) => (record.closed === null ? { ...record, closed: closedNow(context) } : null),
  close_again: (record, { today, random }) =>
    record.closed === null ? null : { ...record, closed: addDays(today, random.between(-9, -1)) },
  reopen: (record) => (record.closed === null ? null : { ...record, closed: null }),
  edited: (record, context) => context.random.pick(EDITS)(record, context),
};
