import * as z from 'zod';
import { addDays } from '../dates.ts';
import type { Json, SourceRecord, WatchedField } from './fields.ts';
import {
  isNothing,
  MAX_LABEL_CHARACTERS,
  nothingToNull,
  readNote,
  readStamp,
  readValue,
  roundNumber,
  stamp,
  text,
} from './values.ts';

/**
 * The watched fields of a pay period (docs/source-api.md, Pay periods). Its totals are hints for the planner, not
 * watched.
 */
export const payPeriodStateSchema = z.strictObject({
  /** Name of the pay calendar. */
  calendar: text,
  startDate: z.iso.date(),
  finishDate: z.iso.date(),
  /** Date closed, or null while it is open. */
  closed: stamp,
  payRollCompanyId: text.nullable(),
  payRollProvider: text.nullable(),
});
export type PayPeriodState = z.output<typeof payPeriodStateSchema>;

/** The watched fields in stored order. Append only, see `TIMESHEET_FIELDS`. */
export const PAY_PERIOD_FIELDS: readonly WatchedField<PayPeriodState>[] = [
  { name: 'calendar', read: (record) => readCalendar(record.calendar) },
  { name: 'startDate', read: (record) => readValue(record.startDate) },
  { name: 'finishDate', read: (record) => readValue(record.finishDate) },
  { name: 'closed', read: (record, door) => readStamp(record.closed, door) },
  { name: 'payRollCompanyId', read: (record) => nothingToNull(record.payRollCompanyId) },
  { name: 'payRollProvider', read: (record) => readNote(record.payRollProvider, MAX_LABEL_CHARACTERS) },
];

/** Empty where a source names no calendar. */
function readCalendar(value: unknown): Json {
  return typeof value === 'string' && isNothing(value) ? '' : readNote(value, MAX_LABEL_CHARACTERS);
}

/** A pay period as it is stored, with what belongs to its closing. */
export interface KnownPeriod {
  readonly id: string;
  /** Name of the pay calendar; empty where the source names none. */
  readonly calendar: string;
  readonly startDate: string;
  readonly finishDate: string;
  /** Whether its closing is told, or was before the notifier knew it. */
  readonly closed: boolean;
  /** The source's own stamp of the closing, a date or a date-time; null while it is open. */
  readonly closedStamp: string | null;
  /**
   * The start of the last look that showed it open, null when it is not known, and that of the first that showed it
   * closed. Null while it is open. Milliseconds since 1970.
   */
  readonly closedBetween: { readonly after: number | null; readonly by: number } | null;
}

/** A longer period is a typing error: it is not counted, and nothing waits for it. */
const MAX_PERIOD_DAYS = 400;

export function covers(period: Pick<KnownPeriod, 'startDate' | 'finishDate'>, date: string): boolean {
  return period.startDate <= date && date <= period.finishDate;
}

/** Whether the dates of a period are walked over: not of one that ends in the year 9999. */
export function isOfUsualLength({
  startDate,
  finishDate,
}: Pick<KnownPeriod, 'startDate' | 'finishDate'>): boolean {
  return finishDate <= addDays(startDate, MAX_PERIOD_DAYS);
}

const TOTALS = ['hours', 'numberEmployees', 'numberTimesheets'] as const;
/** What no company works in a pay period. */
const MAX_TOTAL = 1e9;

/** What of a pay period cannot be: a total beyond any, or an end before its beginning; null where all can. */
export function findImpossible(record: SourceRecord): string | null {
  const { startDate, finishDate } = record;
  if (typeof startDate === 'string' && typeof finishDate === 'string' && finishDate < startDate)
    return 'finishDate';
  const isImpossible = (value: unknown) => typeof value === 'number' && Math.abs(value) > MAX_TOTAL;
  return TOTALS.find((name) => isImpossible(record[name])) ?? null;
}

/** What a pay period comes to. `hours`: payable hours. */
export interface PayPeriodTotals {
  readonly timesheets: number;
  readonly employees: number;
  readonly hours: number;
}

/** Sources round the hours of a period; a difference below this is theirs. */
const MIN_HOURS_APART = 0.01;

/** The source's own totals of a period; null when it did not give all three as numbers. */
export function readTotals(record: SourceRecord): PayPeriodTotals | null {
  const [hours, employees, timesheets] = TOTALS.map((name) => readValue(record[name]));
  if (typeof hours !== 'number' || !isCount(employees) || !isCount(timesheets)) return null;
  return { timesheets, employees, hours };
}

function isCount(value: Json): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function subtractTotals(left: PayPeriodTotals, right: PayPeriodTotals): PayPeriodTotals {
  return {
    timesheets: left.timesheets - right.timesheets,
    employees: left.employees - right.employees,
    hours: roundNumber(left.hours - right.hours),
  };
}

export function areTotalsEqual(left: PayPeriodTotals, right: PayPeriodTotals): boolean {
  const { timesheets, employees, hours } = subtractTotals(left, right);
  return timesheets === 0 && employees === 0 && Math.abs(hours) < MIN_HOURS_APART;
}
