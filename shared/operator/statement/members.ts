import { escapeUnprintable, table } from '#shared/terminal/output.ts';
import type { PeriodStatement } from './read-statement.ts';

/** What is told of a timesheet of a pay period, besides its id. */
export const MEMBER_FIELDS = [
  'employeeId',
  'date',
  'hoursToPay',
  'approvedHours',
  'approvedPayroll',
  'processed',
] as const;

/** The timesheets that a statement counts, in the order of their dates. */
export function listMembers({ timesheets }: Pick<PeriodStatement, 'timesheets'>): object[] {
  return timesheets.map(({ id, state }) => ({
    timesheetId: id,
    ...Object.fromEntries(MEMBER_FIELDS.map((name) => [name, state[name] ?? null])),
  }));
}

/** The same as a table. */
export function formatMembers({ timesheets }: Pick<PeriodStatement, 'timesheets'>): string[] {
  const rows = timesheets.map(({ id, state }) => [
    id,
    ...MEMBER_FIELDS.map((name) => String(state[name] ?? '-')),
  ]);
  const heading = ['timesheet', 'employee', 'date', 'hours', 'approved', 'payroll approved', 'processed'];
  return table([heading, ...rows]).map(escapeUnprintable);
}
