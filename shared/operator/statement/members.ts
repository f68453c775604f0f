import { createNameStore } from '#shared/adapters/dynamo/names/name-store.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { State } from '#shared/core/records/feed-definition.ts';
import { NAMED_KINDS, type Names, NO_NAMES } from '#shared/names/names.ts';
import type { PeriodStatement } from '#shared/statements/flow/read-statement.ts';
import { escapeUnprintable, table } from '#shared/terminal/output.ts';
import { type Target, toTableOptions } from '../target.ts';

/** The names that are stored: those that a channel shows. */
export async function loadNames(connection: string, target: Target): Promise<Names> {
  const store = createNameStore({ ...toTableOptions(target), now: target.system.now });
  return await store.load(connection, NAMED_KINDS).catch(() => NO_NAMES);
}

export function createUnknownPeriodError(id: string): NotifierError {
  return new NotifierError(
    'period_unknown',
    `no pay period ${escapeUnprintable(id)} is stored; use an id as in the events`,
  );
}

/** What is told of a timesheet of a pay period, besides its id. */
const MEMBER_FIELDS = [
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

const NO_DEPARTMENT = 'no-department';
/** Texts that a spreadsheet would take for a formula; numbers are numbers. */
const FORMULA = /^[=+\-@\t\r]/;

export interface CsvFile {
  /** Such as `9013_1-501_1.csv`; never leads to another folder. */
  readonly name: string;
  readonly text: string;
}

type Cell = string | number;

/** One file for each department, after RFC 4180: a line for each timesheet, in the order of their dates. */
export function buildCsvFiles({ id, timesheets }: Pick<PeriodStatement, 'id' | 'timesheets'>): CsvFile[] {
  const departments = Map.groupBy(timesheets, ({ state }) => String(readCell(state, 'departmentId')));
  return [...departments].map(([department, own]) => ({
    name: `${toFileName(id)}-${toFileName(department === '' ? NO_DEPARTMENT : department)}.csv`,
    text: toCsv([
      ['timesheetId', ...MEMBER_FIELDS],
      ...own.map((each) => [each.id, ...MEMBER_FIELDS.map((column) => readCell(each.state, column))]),
    ]),
  }));
}

function readCell(state: State, name: string): Cell {
  const value = state[name] ?? '';
  if (typeof value === 'number') return value;
  return typeof value === 'object' ? '' : String(value);
}

function toFileName(text: string): string {
  return encodeURIComponent(text).replaceAll(/^\.+/g, '_');
}

/** After RFC 4180; a text that a spreadsheet would take for a formula is none there. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

function toCell(value: Cell): string {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
