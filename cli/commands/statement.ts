import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { buildConsoleUrl } from '#shared/alerts/record-address.ts';
import { describeAgreement } from '#shared/core/messages/closing-numbers.ts';
import { formatChange, formatCount } from '#shared/core/messages/numbers.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import { type Names, NO_NAMES } from '#shared/names/names.ts';
import { buildQueries, openEventLog } from '#shared/operator/log-query.ts';
import {
  createUnknownPeriodError,
  formatMembers,
  listMembers,
  loadNames,
} from '#shared/operator/statement/members.ts';
import { type Target, type TargetFlags, toTableOptions, type WithTarget } from '#shared/operator/target.ts';
import type { CloseManifest } from '#shared/statements/close-manifest.ts';
import { type PeriodStatement, readStatement } from '#shared/statements/flow/read-statement.ts';
import type { StoredStatement } from '#shared/statements/logged-statements.ts';
import { buildCsvFiles } from '#shared/statements/statement-csv.ts';
import { summarizeStatement } from '#shared/statements/statement-sentences.ts';
import { applyStyle, escapeUnprintable, print, printJson, table } from '#shared/terminal/output.ts';
import { formatLocalMoment } from '#shared/terminal/readable-value.ts';
import { addTargetOptions } from '../options.ts';

interface StatementFlags extends TargetFlags {
  readonly since: string;
  readonly connection?: string;
  readonly csv?: string;
  readonly members?: true;
}

const HELP = `
Each closing in the log is listed with what it came to then and whether that
added up with the source, then when it was settled, and last what is stored now.
The line below says what changed since the first closing; it always adds up. The
digest is the one of closeManifest and of pay_period.statement: statementDigest
of the package gives the same for folded states.

Where pay periods share dates, what is stored now and the files are of the
employees of its own calendar; those whose calendar is not known yet are left
out, and counted. While none is known, the timesheets of all of them count.

Examples:
  $ npm run notifier -- statement 9013_1
  $ npm run notifier -- statement 9013_1 --members
  $ npm run notifier -- statement 9013_1 --csv ./statement --data .data`;

export function statementCommand(withTarget: WithTarget): Command {
  const command = new Command('statement')
    .summary('show what a pay period came to')
    .description(
      'Shows what a pay period came to each time it closed and comes to now, by department, and what is left over.',
    )
    .argument('<pay-period>', 'id of a pay period')
    .option('--since <time>', 'how far to look back: an age such as 7d, a date or an instant', '90d')
    .option('--connection <name>', 'only this connection (default: all)')
    .option('--members', 'also list its timesheets, each with its employee, date, hours and facts')
    .option('--csv <folder>', 'also write its timesheets into this folder, a file for each department')
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (id: string, flags: StatementFlags) => {
    await withTarget(flags, async (target) => {
      const found = await findStatements(id, flags, target);
      if (found.length === 0) throw createUnknownPeriodError(id);
      for (const each of found) await show(each, flags, target);
    });
  });
}

/** Prints a statement, and writes its files where that is asked. */
async function show(
  { statement, ...reader }: FoundStatement,
  flags: StatementFlags,
  target: Target,
): Promise<void> {
  if (flags.csv !== undefined) await writeCsv(statement, flags.csv);
  if (flags.json === true) {
    printJson(JSON.stringify(toJson(statement, flags), null, 2));
    return;
  }
  print(...formatStatement(statement, reader));
  if (flags.members === true) print('', ...formatMembers(statement, reader.names));
  print(...linkConsole(statement, target));
}

interface FoundStatement extends StatementReader {
  readonly statement: PeriodStatement;
}

/** Who reads a statement. */
interface StatementReader {
  /** An instant in the zone of the connection. */
  readonly moment: (text: string) => string;
  /** Those that are stored; without them, ids. */
  readonly names?: Names;
  /** What they call the source. */
  readonly serviceName?: string | undefined;
}

async function findStatements(id: string, flags: StatementFlags, target: Target) {
  const store = createDynamoSnapshotStore(toTableOptions(target));
  const log = openEventLog(target);
  const found: FoundStatement[] = [];
  for (const { connection, from, to } of buildQueries(flags, target)) {
    const statement = await readStatement(id, connection, { store, log, range: { from, to } });
    if (statement === null) continue;
    const moment = (text: string) => formatLocalMoment(text, connection.timeZone);
    const { serviceName } = target.config.alerts;
    found.push({ statement, moment, serviceName, names: await loadNames(connection.name, target) });
  }
  return found;
}

/** Where the console shows the period, by the config. */
function linkConsole({ id, connection }: PeriodStatement, { config }: Target): string[] {
  const { consoleUrl } = config.alerts;
  return consoleUrl === undefined ? [] : ['', `console: ${buildConsoleUrl(consoleUrl, { id, connection })}`];
}

function toJson({ timesheets, ...statement }: PeriodStatement, { members }: StatementFlags): object {
  return members === true ? { ...statement, members: listMembers({ timesheets }) } : statement;
}

async function writeCsv(statement: PeriodStatement, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text } of buildCsvFiles(statement)) await writeFile(join(folder, name), text);
}

/** A statement in readable lines. */
export function formatStatement(
  statement: PeriodStatement,
  { moment, names = NO_NAMES, serviceName }: StatementReader,
): string[] {
  const { id, connection, period, closings, statements, now } = statement;
  const { calendar, startDate, finishDate, closed } = period;
  const state = closed === null ? 'open' : `closed ${closed}`;
  const title = `pay period ${id} of ${connection}: ${calendar} ${startDate} to ${finishDate}, ${state}`;
  const sums = closings.map(({ time, manifest }, index) =>
    manifest === undefined
      ? [`closed ${moment(time)}`, 'not counted']
      : [
          `closed ${moment(time)}`,
          ...listSums(manifest),
          describeChange(manifest, closings[index - 1]?.manifest),
          describeAgreement(manifest, { serviceName }).slice(2),
        ],
  );
  const last = closings.at(-1)?.manifest;
  const settled = statements
    .filter(({ statement: { stage } }) => stage === 'final')
    .map(({ time, statement: { hours: hoursToPay, ...final } }) => [
      `settled ${moment(time)}`,
      ...listSums({ ...final, hoursToPay }),
      formatChange(final.change?.hours ?? 0),
      describeAgreement({ ...final, hoursToPay }, { serviceName }).slice(2),
    ]);
  return [
    applyStyle('bold', escapeUnprintable(title)),
    ...table([...sums, ...settled, ['now', ...listSums(now), describeChange(now, last), '']]),
    ...describeLatest(statements.at(-1)).map(escapeUnprintable),
    ...listNotes(now),
    `digest ${now.digest}`,
    '',
    ...table([
      ['department', 'hours', 'employees', 'timesheets', 'not approved', 'not processed'],
      ...(now.byDepartment ?? []).map((each) => [
        nameOf(each.departmentId, names.departments) ?? 'no department',
        ...[each.hours, each.employees, each.timesheets, each.unapproved, each.unprocessed].map(String),
      ]),
    ]).map(escapeUnprintable),
    ...listLeftovers(now, names).map(escapeUnprintable),
  ];
}

/** `final: closed at 976.5 h, +2 h in 2 timesheets after it; 978.5 h`. */
function describeLatest(latest: StoredStatement | undefined): string[] {
  const summary = latest === undefined ? null : summarizeStatement(latest);
  return summary === null ? [] : [summary];
}

type Sums = Pick<CloseManifest, 'hoursToPay' | 'employees' | 'timesheets' | 'unapproved' | 'unprocessed'>;

function listSums({ hoursToPay, employees, timesheets, unapproved, unprocessed }: Sums): string[] {
  return [
    `${hoursToPay} h`,
    formatCount(employees, 'employee'),
    formatCount(timesheets, 'timesheet'),
    `${unapproved} not approved`,
    `${unprocessed} not processed`,
  ];
}

/** `+2 h`: hours against the closing before. Empty where the two count other timesheets. */
function describeChange(manifest: CloseManifest, before: CloseManifest | undefined): string {
  if (before === undefined || !isComparable(manifest, before)) return '';
  return formatChange(roundNumber(manifest.hoursToPay - before.hoursToPay));
}

function isComparable(left: CloseManifest, right: CloseManifest): boolean {
  const how = ({ complete, members = 'all', sharesDatesWith }: CloseManifest) =>
    JSON.stringify([complete, members, sharesDatesWith]);
  return left.complete && left.members !== 'partly' && how(left) === how(right);
}

function nameOf(id: string | null | undefined, names: ReadonlyMap<string, string>): string | null {
  return names.get(id ?? '') ?? id ?? null;
}

function listNotes({ complete, missing, sharesDatesWith, membersUnknown = 0 }: CloseManifest): string[] {
  const dates = missing === null ? '' : ` ${missing.from} to ${missing.to}`;
  return [
    ...(complete ? [] : [`now: without dates${dates} that were never read completely`]),
    ...(membersUnknown === 0
      ? []
      : [`now: without ${formatCount(membersUnknown, 'timesheet')} whose pay period is not known yet`]),
    ...(sharesDatesWith.length === 0
      ? []
      : ['now: all timesheets of these dates, other calendars included, so it is not compared']),
  ];
}

function listLeftovers({ leftovers }: CloseManifest, names: Names): string[] {
  if (leftovers.length === 0) return [];
  const rows = leftovers.map(({ timesheetId, employeeId, departmentId, date, hours, missing = [] }) => [
    timesheetId,
    nameOf(employeeId, names.employees) ?? '-',
    nameOf(departmentId, names.departments) ?? 'no department',
    date ?? '-',
    `${hours} h`,
    missing.map((each) => `no ${each.replace('_', ' ')}`).join(', '),
  ]);
  return ['', ...table([['timesheet', 'employee', 'department', 'date', 'hours', 'missing'], ...rows])];
}
