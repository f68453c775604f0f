import type { RawRecord, Truth } from './truth.ts';

/** Employees and calendars that go together: the source knows, no timesheet says it. */
export function isOfCalendar(employeeId: string, calendar: unknown): boolean {
  const number = Number(employeeId.split('_')[1]);
  return (number % 2 === 0) === (String(calendar).length % 2 === 0);
}

/** Ids of the timesheets of an employee that belong to a pay period at an instant. */
export function membersAt(
  { timesheets, 'pay-periods': payPeriods }: Truth,
  { employeeId, payPeriodId, at }: { employeeId: string; payPeriodId: string; at: number },
): string[] {
  const record = payPeriods.get(payPeriodId);
  const period = record?.version(record.indexAt(at)) ?? null;
  if (period === null || !isOfCalendar(employeeId, period.calendar)) return [];
  return [...timesheets.values()]
    .filter((each) => isIn(each.version(each.indexAt(at)), period, employeeId))
    .map(({ id }) => id);
}

function isIn(sheet: RawRecord | null, period: RawRecord, employeeId: string): boolean {
  if (sheet === null || sheet.employeeId !== employeeId) return false;
  const date = String(sheet.date);
  return String(period.startDate) <= date && date <= String(period.finishDate);
}
