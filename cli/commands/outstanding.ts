import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { buildConsoleUrl } from '#shared/alerts/record-address.ts';
import { computeWindow } from '#shared/core/dates.ts';
import { compareIds } from '#shared/core/events/compare-ids.ts';
import { formatDates, formatDay } from '#shared/core/messages/moments.ts';
import { formatChange, formatCount } from '#shared/core/messages/numbers.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import type { Names } from '#shared/names/names.ts';
import { buildQueries, type LogQuery, openEventLog } from '#shared/operator/log-query.ts';
import { loadNames } from '#shared/operator/statement/members.ts';
import { type Target, type TargetFlags, toTableOptions, type WithTarget } from '#shared/operator/target.ts';
import { type PeriodStatement, readStatement } from '#shared/statements/flow/read-statement.ts';
import { describeOutstanding, type Outstanding } from '#shared/statements/outstanding.ts';
import { toCsv } from '#shared/statements/statement-csv.ts';
import { applyStyle, escapeUnprintable, print, printJson, table } from '#shared/terminal/output.ts';
import { addTargetOptions } from '../options.ts';

interface OutstandingFlags extends TargetFlags {
  readonly since: string;
  readonly connection?: string;
  readonly csv?: string;
}

const HELP = `
Hours that were added, changed or removed since a pay period closed, approved or
revoked since, or whose processing was undone, until they are processed. What
was left over when it closed, and is as it was, is in its statement.

All closed pay periods with a date that is still polled are looked at. Where it
is not known whose timesheets are whose, none counts as added or removed, and a
line says so. One with \`statements: false\` in its connection is not known.

Examples:
  $ npm run notifier -- outstanding
  $ npm run notifier -- outstanding --csv ./outstanding --data .data`;

export function outstandingCommand(withTarget: WithTarget): Command {
  const command = new Command('outstanding')
    .summary('list what is still open of closed pay periods')
    .description('Lists what changed in closed pay periods since they closed, and is not paid yet.')
    .option(
      '--since <time>',
      'how far to look back for closings: an age such as 7d, a date or an instant',
      '90d',
    )
    .option('--connection <name>', 'only this connection (default: all)')
    .option('--csv <folder>', 'also write the list into this folder, as outstanding.csv')
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (flags: OutstandingFlags) => {
    await withTarget(flags, async (target) => {
      const found: OpenPeriod[] = [];
      for (const query of buildQueries(flags, target)) found.push(...(await readOpen(query, target)));
      if (flags.csv !== undefined) await writeCsv(found, flags.csv);
      if (flags.json === true) printJson(JSON.stringify(found.map(toJson), null, 2));
      else print(...formatOutstanding(found, target));
    });
  });
}

/** A closed pay period, and what it is called by whom. */
export interface OpenPeriod {
  readonly statement: Pick<PeriodStatement, 'id' | 'connection' | 'period' | 'outstanding' | 'knowsAdded'>;
  readonly names: Names;
}

/** The closed pay periods of a connection with a date that is still polled, the earliest first. */
async function readOpen({ connection, from, to }: LogQuery, target: Target): Promise<OpenPeriod[]> {
  const store = createDynamoSnapshotStore(toTableOptions(target));
  const source = { store, log: openEventLog(target), range: { from, to } };
  const state = (await store.loadFeedState({ connection: connection.name, feed: 'pay-periods' }))?.state;
  const window = computeWindow(Math.floor(target.system.now()), connection.timeZone, connection.window);
  const closed = (state?.payPeriods ?? []).filter((each) => each.closed && each.finishDate >= window.from);
  const names = await loadNames(connection.name, target);
  const found: OpenPeriod[] = [];
  for (const { id } of closed.sort((a, b) => compareIds(a.startDate, b.startDate))) {
    const statement = await readStatement(id, connection, source);
    if (statement !== null && statement.period.closed !== null) found.push({ statement, names });
  }
  return found;
}

function toJson({ statement: { id, connection, period, outstanding } }: OpenPeriod): object {
  return { id, connection, period, outstanding };
}

/** What is still open in readable lines, one block for each pay period that has something. */
export function formatOutstanding(found: readonly OpenPeriod[], target: Pick<Target, 'config'>): string[] {
  const open = found.filter(({ statement: { outstanding } }) => (outstanding ?? []).length > 0);
  const all = open.flatMap(({ statement: { outstanding } }) => outstanding ?? []);
  const unknown = listUnknown(found);
  const nothing = unknown.length > 0 ? [] : ['nothing is open of the closed pay periods'];
  const sum = `${describeSum(all)} in ${formatCount(open.length, 'pay period')}`;
  return [
    ...open.flatMap((each) => [...formatPeriod(each, target), '']),
    ...unknown,
    ...(all.length === 0 ? nothing : [sum]),
  ];
}

/** `3 timesheets, +4.5 h`. */
function describeSum(all: readonly Outstanding[]): string {
  const hours = roundNumber(all.reduce((sum, { difference }) => sum + difference, 0));
  return `${formatCount(all.length, 'timesheet')}, ${formatChange(hours)}`;
}

function formatPeriod({ statement, names }: OpenPeriod, { config }: Pick<Target, 'config'>): string[] {
  const { id, connection, period, outstanding } = statement;
  const year = period.finishDate.slice(0, 4);
  const title = `${period.calendar} ${formatDates(period.startDate, period.finishDate, { year })}`;
  const rows = (outstanding ?? []).map((each) => [
    names.employees.get(each.employeeId ?? '') ?? each.employeeId ?? '-',
    each.date === null ? '-' : formatDay(each.date, { year }),
    formatChange(each.difference),
    describeOutstanding(each),
    names.departments.get(each.departmentId ?? '') ?? each.departmentId ?? '-',
    each.timesheetId,
  ]);
  const { consoleUrl } = config.alerts;
  return [
    applyStyle('bold', escapeUnprintable(`${title} (${id}): ${describeSum(outstanding ?? [])}`)),
    ...table([['employee', 'date', 'to pay', 'since it closed', 'department', 'timesheet'], ...rows]).map(
      escapeUnprintable,
    ),
    ...(consoleUrl === undefined ? [] : [`console: ${buildConsoleUrl(consoleUrl, { id, connection })}`]),
  ];
}

/** Closed pay periods of which it is not known, or not wholly, what is open. */
function listUnknown(found: readonly OpenPeriod[]): string[] {
  return found.flatMap(({ statement: { id, outstanding, knowsAdded } }) => {
    if (outstanding === null)
      return [`${escapeUnprintable(id)}: not known; there is no statement of its closing`];
    return knowsAdded
      ? []
      : [`${escapeUnprintable(id)}: without what was added or removed; not all of it is known`];
  });
}

const COLUMNS = [
  ...[
    'connection',
    'payPeriodId',
    'calendar',
    'startDate',
    'finishDate',
    'timesheetId',
    'employeeId',
    'employee',
  ],
  ...['departmentId', 'department', 'date', 'reason', 'was', 'hours', 'difference', 'approved'],
];

async function writeCsv(found: readonly OpenPeriod[], folder: string): Promise<void> {
  const rows = found.flatMap(({ statement: { id, connection, period, outstanding }, names }) =>
    (outstanding ?? []).map(({ employeeId, departmentId, timesheetId, ...each }) => [
      ...[connection, id, period.calendar, period.startDate, period.finishDate, timesheetId],
      ...[employeeId ?? '', names.employees.get(employeeId ?? '') ?? ''],
      ...[departmentId ?? '', names.departments.get(departmentId ?? '') ?? '', each.date ?? '', each.reason],
      ...[each.was ?? '', each.hours ?? '', each.difference, String(each.approved)],
    ]),
  );
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'outstanding.csv'), toCsv([COLUMNS, ...rows]));
}
