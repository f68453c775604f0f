import type { Names } from '#shared/people/names/names.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { escapeUnprintable, table } from '#shared/terminal/output.ts';

/** What payroll needs of a timesheet. */
const FIELDS = ['employeeId', 'date', 'hoursToPay', 'approvedHours', 'approvedPayroll', 'processed'] as const;

type Members = Pick<PeriodReading, 'timesheets'>;

/** The timesheets that are counted, in the order of their dates. */
export function listMembers({ timesheets }: Members): object[] {
  return timesheets.map(({ id, state }) => ({
    timesheetId: id,
    ...Object.fromEntries(FIELDS.map((name) => [name, state[name] ?? null])),
  }));
}

/** The same as a table. */
export function formatMembers({ timesheets }: Members, { employees }: Pick<Names, 'employees'>): string[] {
  const rows = timesheets.map(({ id, state }) => [
    id,
    ...FIELDS.map((name) => {
      const value = String(state[name] ?? '-');
      return name === 'employeeId' ? (employees.get(value) ?? value) : value;
    }),
  ]);
  const heading = ['timesheet', 'employee', 'date', 'hours', 'approved', 'payroll approved', 'processed'];
  return table([heading, ...rows]).map(escapeUnprintable);
}
