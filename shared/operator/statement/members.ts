import { NotifierError } from '#shared/core/errors.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import type { PeriodStatement } from '#shared/period/flow/read-statement.ts';
import { MEMBER_FIELDS } from '#shared/period/statement-csv.ts';
import { escapeUnprintable, table } from '#shared/terminal/output.ts';
import { openStore } from '../open-store.ts';
import type { Target } from '../target.ts';

/** The names that may be shown. */
export async function loadNames(connection: string, target: Target): Promise<Names> {
  const reader = createNameReader(openStore(target));
  return await reader.load(connection, target.config.people.names).catch(() => NO_NAMES);
}

export function createUnknownPeriodError(id: string): NotifierError {
  return new NotifierError(
    'period_unknown',
    `no pay period ${escapeUnprintable(id)} is stored; use an id as in the events`,
  );
}

/** The timesheets that a statement counts, in the order of their dates. */
export function listMembers({ timesheets }: Pick<PeriodStatement, 'timesheets'>): object[] {
  return timesheets.map(({ id, state }) => ({
    timesheetId: id,
    ...Object.fromEntries(MEMBER_FIELDS.map((name) => [name, state[name] ?? null])),
  }));
}

/** The same as a table. */
export function formatMembers(
  { timesheets }: Pick<PeriodStatement, 'timesheets'>,
  { employees }: Pick<Names, 'employees'> = NO_NAMES,
): string[] {
  const rows = timesheets.map(({ id, state }) => [
    id,
    ...MEMBER_FIELDS.map((name) => {
      const value = String(state[name] ?? '-');
      return name === 'employeeId' ? (employees.get(value) ?? value) : value;
    }),
  ]);
  const heading = ['timesheet', 'employee', 'date', 'hours', 'approved', 'payroll approved', 'processed'];
  return table([heading, ...rows]).map(escapeUnprintable);
}
