import type { PeriodAnswer, PeriodCsvQuery, PeriodQuery, PeriodTimesheet } from '#console/routes/periods.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import { readSheets } from '#shared/period/flow/read-sheets.ts';
import { type PeriodStatement, readStatement } from '#shared/period/flow/read-statement.ts';
import { buildCsvFile, buildCsvFiles, type CsvFile } from '#shared/period/statement-csv.ts';
import { type ConsoleContext, findConnection } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import { describePeriod, openStatementSource } from './read-periods.ts';

type Timesheets = readonly PeriodTimesheet[];

/** One pay period with its timesheets. Throws a `NotifierError` (`period_unknown`). */
export async function readPeriod(
  { id, connection }: PeriodQuery,
  context: ConsoleContext,
): Promise<PeriodAnswer> {
  const knowledge = await context.knowledge.load(connection);
  const statement = await findStatement(id, connection, context);
  const timesheets = statement.timesheets.map((each) => describeTimesheet(each, knowledge));
  const { departments, employees } = knowledge.names;
  const leftOver = timesheets.filter(({ approved, processed }) => !(approved && processed));
  return {
    row: describePeriod(statement, knowledge, context),
    departments: addUp(timesheets, ({ departmentId }) => departmentId, departments),
    people: addUp(leftOver, ({ employeeId }) => employeeId, employees),
    timesheets,
    readAt: toIso(Math.floor(context.target.system.now())),
  };
}

/** Its timesheets as `statement --csv` writes them: of one department, or of all in one file. */
export async function readPeriodCsv(
  { id, connection, department, sheet }: PeriodCsvQuery,
  context: ConsoleContext,
): Promise<CsvFile> {
  if (sheet !== undefined) return await readSheet({ id, connection, sheet }, context);
  const statement = await findStatement(id, connection, context);
  const own = statement.timesheets.filter(
    ({ state }) => department === undefined || (state.departmentId ?? '') === department,
  );
  const [ofDepartment] = department === undefined ? [] : buildCsvFiles({ id, timesheets: own });
  return ofDepartment ?? buildCsvFile([id], own);
}

async function readSheet(
  { id, connection, sheet }: PeriodQuery & Required<Pick<PeriodCsvQuery, 'sheet'>>,
  context: ConsoleContext,
): Promise<CsvFile> {
  const { names, timeZone } = await context.knowledge.load(connection);
  const now = Math.floor(context.target.system.now());
  const sheets = await readSheets(id, { names, timeZone }, { connection, store: context.store, now });
  const file = typeof sheets === 'string' ? undefined : sheets.files[sheet === 'pay' ? 0 : 1];
  if (file !== undefined) return file;
  throw new NotifierError(
    'sheet_unavailable',
    `there is no such file of ${JSON.stringify(id)} (${typeof sheets === 'string' ? sheets : 'empty'}); \`notifier period --csv\` writes its timesheets`,
  );
}

async function findStatement(
  id: string,
  connection: string,
  context: ConsoleContext,
): Promise<PeriodStatement> {
  const statement = await readStatement(
    id,
    findConnection(context, connection),
    openStatementSource(context),
  );
  if (statement !== null) return statement;
  throw new NotifierError('period_unknown', `no pay period ${JSON.stringify(id)} of ${connection} is stored`);
}

/** A timesheet with whose and where it is. */
export function describeTimesheet(
  { id, state }: PeriodStatement['timesheets'][number],
  { names }: ConnectionKnowledge,
): PeriodTimesheet {
  const read = (name: string) => {
    const value = state[name];
    return typeof value === 'string' ? value : null;
  };
  const [employeeId, departmentId] = [read('employeeId'), read('departmentId')];
  return {
    id,
    date: read('date'),
    employeeId,
    employee: names.employees.get(employeeId ?? '') ?? null,
    departmentId,
    department: names.departments.get(departmentId ?? '') ?? null,
    hours: typeof state.hoursToPay === 'number' ? state.hoursToPay : 0,
    approved: state.approvedHours != null,
    payrollApproved: state.approvedPayroll != null,
    processed: state.processed != null,
  };
}

function addUp(
  timesheets: Timesheets,
  keyOf: (each: PeriodTimesheet) => string | null,
  names: ReadonlyMap<string, string>,
): PeriodAnswer['departments'] {
  return [...Map.groupBy(timesheets, keyOf)]
    .map(([id, own]) => ({
      id,
      name: names.get(id ?? '') ?? null,
      timesheets: own.length,
      hours: roundNumber(own.reduce((sum, { hours }) => sum + hours, 0)),
      unapproved: own.filter(({ approved }) => !approved).length,
      unprocessed: own.filter(({ processed }) => !processed).length,
    }))
    .sort((a, b) => b.timesheets - a.timesheets);
}
