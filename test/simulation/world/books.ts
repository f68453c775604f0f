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
  /** When employees went to the other calendar and back, in order. */
  readonly changes: Map<string, number[]>;
}

/** Whether an employee is in a calendar at an instant: the source knows, no timesheet says it. */
export function isOfCalendar(
  { hasOneCalendar, changes }: Books,
  {
    employeeId,
    calendar,
    at,
  }: { readonly employeeId: string; readonly calendar: unknown; readonly at: number },
): boolean {
  if (hasOneCalendar) return true;
  const number = Number(employeeId.split('_')[1]);
  const changed = (changes.get(employeeId) ?? []).filter((instant) => instant <= at).length;
  return ((number + changed) % 2 === 0) === (String(calendar).length % 2 === 0);
}

/** Ids of the timesheets of an employee that belong to a pay period at an instant. */
export function membersAt(
  books: Books,
  { employeeId, payPeriodId, at }: { employeeId: string; payPeriodId: string; at: number },
): string[] {
  const record = books.truth['pay-periods'].get(payPeriodId);
  const period = record?.version(record.indexAt(at)) ?? null;
  if (period === null) return [];
  return [...books.truth.timesheets.values()]
    .filter((each) => {
      const sheet = recordAt(each, at);
      return sheet?.employeeId === employeeId && belongsTo(books, { sheet, period, at });
    })
    .map(({ id }) => id);
}

/** What a period comes to at an instant. */
export function totalsAt(books: Books, period: RawRecord, at: number): Totals {
  const employees = new Set<unknown>();
  let cents = 0;
  let numberTimesheets = 0;
  for (const each of books.truth.timesheets.values()) {
    const sheet = recordAt(each, at);
    if (sheet === null || !belongsTo(books, { sheet, period, at })) continue;
    employees.add(sheet.employeeId);
    cents += Math.round(Number(sheet.hoursToPay) * 100);
    numberTimesheets += 1;
  }
  return { hours: cents / 100, numberEmployees: employees.size, numberTimesheets };
}

/** Whether a timesheet belongs to a period: by its date and by the calendar of its employee. */
export function belongsTo(
  books: Books,
  { sheet, period, at }: { readonly sheet: RawRecord; readonly period: RawRecord; readonly at: number },
): boolean {
  const date = String(sheet.date);
  if (date < String(period.startDate) || date > String(period.finishDate)) return false;
  return isOfCalendar(books, { employeeId: String(sheet.employeeId), calendar: period.calendar, at });
}

/** A record at an instant; null while it does not exist. */
function recordAt(record: TrackedRecord, at: number): RawRecord | null {
  return record.version(record.indexAt(at));
}
