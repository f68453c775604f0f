import { Random } from '../random.ts';
import type { RawRecord, TrackedRecord, Truth } from './truth.ts';

/** What a pay period comes to, as the source sends it. */
export interface Totals {
  readonly hours: number;
  readonly numberEmployees: number;
  readonly numberTimesheets: number;
}

/** The books of the company: the source answers from them, and the oracles judge by them. */
export interface Books {
  readonly truth: Truth;
  /** With one pay calendar every employee is in it. */
  readonly hasOneCalendar: boolean;
  /** Whose calendar a period is of (0 or 1); none where periods share dates at random. */
  readonly calendars: Map<string, number>;
  /** When employees went to the other calendar and back, in order. */
  readonly changes: Map<string, number[]>;
  /** Where timesheets closed: they stay there when their employee changes calendar. */
  readonly places: Map<string, { readonly at: number; readonly periodId: string }[]>;
}

interface Question {
  readonly sheet: RawRecord;
  readonly period: RawRecord;
  readonly at: number;
}

/** Whether a timesheet belongs to a period: by its date, and by the calendar of its employee unless it was put in one. */
export function belongsTo(books: Books, { sheet, period, at }: Question): boolean {
  if (!isOnDates(sheet, period)) return false;
  const stays = (books.places.get(String(sheet.id)) ?? []).findLast((each) => each.at <= at);
  const place = stays === undefined ? null : recordAt(books.truth['pay-periods'].get(stays.periodId), at);
  if (stays !== undefined && place !== null && isOnDates(sheet, place)) return stays.periodId === period.id;
  return isOfCalendar(books, { sheet, period, at });
}

function isOnDates({ date }: RawRecord, { startDate, finishDate }: RawRecord): boolean {
  return String(startDate) <= String(date) && String(date) <= String(finishDate);
}

/** The source knows whose calendar an employee is in; no timesheet says it. */
function isOfCalendar(books: Books, { sheet, period, at }: Question): boolean {
  const { hasOneCalendar, calendars, changes } = books;
  if (calendars.size === 0) return isFirstOfPeriods(books, { sheet, period, at });
  if (hasOneCalendar) return true;
  const employeeId = String(sheet.employeeId);
  const changed = (changes.get(employeeId) ?? []).filter((instant) => instant <= at).length;
  const isOwn = (Number(employeeId.split('_')[1]) + changed) % 2 === calendars.get(String(period.id));
  return isOwn || isOnlyPeriod(books, { sheet, period, at });
}

/** Its own period is gone. */
function isOnlyPeriod({ truth }: Books, { sheet, period, at }: Question): boolean {
  return [...truth['pay-periods'].values()].every((record) => {
    const other = record.id === period.id ? null : recordAt(record, at);
    return other === null || !isOnDates(sheet, other);
  });
}

/** Where periods share dates at random, each employee has one that comes first. */
function isFirstOfPeriods({ truth }: Books, { sheet, period, at }: Question): boolean {
  const rank = (id: unknown) => Random.of(Number(String(sheet.employeeId).split('_')[1]), String(id)).next();
  const own = rank(period.id);
  return [...truth['pay-periods'].values()].every((record) => {
    const other = record.id === period.id ? null : recordAt(record, at);
    return other === null || !isOnDates(sheet, other) || rank(record.id) < own;
  });
}

/** The timesheets that belong to a period at an instant. */
export function listSheets(books: Books, payPeriodId: string, at: number): RawRecord[] {
  const period = recordAt(books.truth['pay-periods'].get(payPeriodId), at);
  if (period === null) return [];
  return [...books.truth.timesheets.values()].flatMap((each) => {
    const sheet = recordAt(each, at);
    return sheet !== null && belongsTo(books, { sheet, period, at }) ? [sheet] : [];
  });
}

/** Ids of the timesheets of an employee that belong to a pay period at an instant. */
export function membersAt(
  books: Books,
  { employeeId, payPeriodId, at }: { employeeId: string; payPeriodId: string; at: number },
): string[] {
  return listSheets(books, payPeriodId, at)
    .filter((sheet) => sheet.employeeId === employeeId)
    .map(({ id }) => String(id));
}

/** What a period comes to at an instant. */
export function totalsAt(books: Books, payPeriodId: string, at: number): Totals {
  const sheets = listSheets(books, payPeriodId, at);
  return {
    hours: sheets.reduce((cents, { hoursToPay }) => cents + Math.round(Number(hoursToPay) * 100), 0) / 100,
    numberEmployees: new Set(sheets.map(({ employeeId }) => employeeId)).size,
    numberTimesheets: sheets.length,
  };
}

/** A record at an instant; null while it does not exist. */
function recordAt(record: TrackedRecord | undefined, at: number): RawRecord | null {
  return record?.version(record.indexAt(at)) ?? null;
}
