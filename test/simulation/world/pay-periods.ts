import type { RawRecord } from '#local/source/world/records.ts';
import { addDays } from '#shared/core/dates.ts';
import type { Random } from '../random.ts';
import { type Step, type StepContext, stampOf } from './timesheet-steps.ts';

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
function closedNow(context: StepContext): string {
  return context.random.chance(0.4) ? context.today : stampOf(context);
}

export const PAY_PERIOD_STEPS: Readonly<Record<string, Step>> = {
  close: (record, context) => (record.closed === null ? { ...record, closed: closedNow(context) } : null),
  close_again: (record, { today, random }) =>
    record.closed === null ? null : { ...record, closed: addDays(today, random.between(-9, -1)) },
  reopen: (record) => (record.closed === null ? null : { ...record, closed: null }),
  edited: (record, context) => context.random.pick(EDITS)(record, context),
};

/** A company with tidy pay periods: of each calendar one follows the other, and those of two calendars share dates. */
export interface Company {
  readonly calendars: 1 | 2;
  /** Days of a period of the first calendar; the second has twice as many. Short, so that the window has all of them. */
  readonly days: number;
  /** Days from today to the end of one of them. */
  readonly ends: number;
  /** Timesheets stay in the period in which they closed when their employee changes calendar. */
  readonly staysClosed: boolean;
}

export function drawCompany(random: Random): Company {
  return {
    calendars: random.pick([1, 2]),
    days: random.pick([1, 2, 2]),
    ends: random.between(-1, 1),
    staysClosed: random.chance(0.5),
  };
}

/** The periods from one that is long over to one that has not begun, each with the number of its calendar. */
export function openingPeriods({ calendars, days, ends }: Company, today: string): [number, RawRecord][] {
  const end = addDays(today, ends);
  const period = (calendar: number, from: number, length: number): [number, RawRecord] => [
    calendar,
    {
      calendar: calendar === 0 ? 'Weekly' : 'Fortnightly',
      startDate: addDays(end, from),
      finishDate: addDays(end, from + length - 1),
      closed: null,
      payRollCompanyId: '2_1',
      payRollProvider: 'Provider',
    },
  ];
  const first = [-2, -1, 0, 1].map((place) => period(0, place * days + 1, days));
  const second = [-1, 0].map((place) => period(1, place * days * 2 + 1, days * 2));
  return calendars === 1 ? first : [...first, ...second];
}

const { reopen, close_again } = PAY_PERIOD_STEPS;

/** Mostly periods that are over close, and now and then one of them is opened again. */
export const COMPANY_STEPS: readonly Step[] = [
  closeOver,
  closeOver,
  closeOver,
  ...[reopen, reopen, close_again].filter((step) => step !== undefined),
  (record, { random }) => ({ ...record, payRollProvider: `Provider ${random.between(1, 99)}` }),
];

function closeOver(record: RawRecord, context: StepContext): RawRecord | null {
  return record.closed === null && String(record.finishDate) <= context.today
    ? { ...record, closed: closedNow(context) }
    : null;
}

/** What payroll does next with a period and its timesheets: approve them, close it, or process them. */
export function nextPayrollStep(
  period: RawRecord,
  timesheets: readonly RawRecord[],
  context: StepContext,
): { readonly period: RawRecord | null; readonly timesheets: readonly RawRecord[] } {
  const stamp = stampOf(context);
  const open = timesheets.filter(({ approvedHours }) => approvedHours === null);
  if (open.length > 0)
    return { period: null, timesheets: open.map((each) => ({ ...each, approvedHours: stamp })) };
  if (period.closed === null) return { period: closeOver(period, context), timesheets: [] };
  const due = timesheets.filter(({ processed }) => processed === null);
  return { period: null, timesheets: due.map((each) => ({ ...each, processed: stamp })) };
}
