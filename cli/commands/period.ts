import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { computeWindow } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { compareIds } from '#shared/core/events/compare-ids.ts';
import { loadPeriods } from '#shared/flow/stored-records.ts';
import { buildQueries, type LogQuery, openEventLog } from '#shared/operator/log-query.ts';
import { openStore } from '#shared/operator/open-store.ts';
import { formatMembers, listMembers, loadNames } from '#shared/operator/statement/members.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { buildConsoleUrl } from '#shared/people/record-address.ts';
import { type PeriodStatement, readStatement } from '#shared/period/flow/read-statement.ts';
import { buildCsvFiles } from '#shared/period/statement-csv.ts';
import { print, printJson } from '#shared/terminal/output.ts';
import { formatLocalMoment } from '#shared/terminal/readable-value.ts';
import { addReadingOptions } from '../options.ts';
import { comparePaid } from '../period/compare-paid.ts';
import { CLOSINGS_SINCE, findPeriod } from '../period/find-period.ts';
import { formatPeriods } from '../period/format-periods.ts';
import { formatStatement } from '../period/format-statement.ts';

interface PeriodFlags extends TargetFlags {
  readonly connection?: string;
  readonly members?: true;
  readonly csv?: string;
  readonly compare?: string;
}

const HELP = `
Without an id it lists the pay periods with a date that is still polled, and what is
still open of those that closed: hours that were added, changed or removed since, approved
or revoked since, or whose processing was undone, until they are processed.

With an id it shows each closing of the last 90 days with what it came to then and whether
that added up with the source, when it was settled, what is stored now, by department,
what is left over, and timesheet by timesheet what is still open. Where pay periods share
dates, what is stored now and the files are of its own timesheets; those of which that is
not known yet are left out, and counted. While none is known, those of all of them count.

--compare reads what a payer has paid, a line of JSON for each timesheet:
{"timesheetId":"101206_1","hours":8}. To pay are the hours of approved timesheets.
missing: to pay, not in the file. old: in the file with other hours. too much: in the
file, and not approved or removed. The file may have other periods, too. The "send"
commands that it prints mend it. The exit code is 0 when all is equal, else 1.

Examples:
  $ npm run notifier -- period
  $ npm run notifier -- period 9013_1 --members
  $ npm run notifier -- period 9013_1 --csv ./period --data .data
  $ npm run notifier -- period 9013_1 --compare paid.ndjson`;

export function periodCommand(withTarget: WithTarget): Command {
  const command = new Command('period')
    .summary('show what a pay period comes to')
    .description(
      'Shows what a pay period came to each time it closed and comes to now; without an id, all of them.',
    )
    .argument('[id]', 'id of a pay period')
    .option('--connection <name>', 'the connection, where several have a pay period of this id')
    .option('--members', 'also list its timesheets, each with its employee, date, hours and facts')
    .option('--csv <folder>', 'also write its timesheets into this folder, a file for each department')
    .option('--compare <file>', 'compare it with what a payer has paid')
    .addHelpText('after', HELP);
  return addReadingOptions(command).action(async (id: string | undefined, flags: PeriodFlags) => {
    if (id === undefined) checkList(flags);
    await withTarget(flags, async (target) => {
      if (id === undefined) await list(flags, target);
      else if (flags.compare !== undefined) await comparePaid(id, { ...flags, file: flags.compare }, target);
      else await show(id, flags, target);
    });
  });
}

function checkList({ members, csv, compare }: PeriodFlags): void {
  if (members !== undefined || csv !== undefined || compare !== undefined)
    throw new NotifierError('options_wrong', '--members, --csv and --compare need the id of a pay period');
}

async function list(flags: PeriodFlags, target: Target): Promise<void> {
  const found: PeriodStatement[] = [];
  for (const query of buildQueries({ ...flags, since: CLOSINGS_SINCE }, target))
    found.push(...(await readWatched(query, target)));
  if (flags.json === true) {
    const periods = found.map(({ id, connection, period, now: { hoursToPay, timesheets }, stillOpen }) => {
      return { id, connection, period, hoursToPay, timesheets, stillOpen };
    });
    printJson(JSON.stringify(periods, null, 2));
  } else print(...formatPeriods(found));
}

/** The pay periods of a connection with a date that is still polled, the earliest first. */
async function readWatched({ connection, from, to }: LogQuery, target: Target): Promise<PeriodStatement[]> {
  const store = openStore(target);
  const source = { store, log: openEventLog(target), range: { from, to } };
  const window = computeWindow(Math.floor(target.system.now()), connection.timeZone, connection.window);
  const watched = ((await loadPeriods(connection.name, store)) ?? []).filter(
    ({ startDate, finishDate }) => startDate <= window.to && finishDate >= window.from,
  );
  const found: PeriodStatement[] = [];
  for (const { id } of watched.sort((a, b) => compareIds(a.startDate, b.startDate))) {
    const statement = await readStatement(id, connection, source);
    if (statement !== null) found.push(statement);
  }
  return found;
}

/** Prints a statement, and writes its files where that is asked. */
async function show(id: string, flags: PeriodFlags, target: Target): Promise<void> {
  const store = openStore(target);
  const log = openEventLog(target);
  const { connection, found: statement } = await findPeriod(id, flags, target, ({ connection, from, to }) =>
    readStatement(id, connection, { store, log, range: { from, to } }),
  );
  if (flags.csv !== undefined) await writeCsv(statement, flags.csv);
  if (flags.json === true) {
    const { timesheets, ...shown } = statement;
    const members = flags.members === true ? { members: listMembers({ timesheets }) } : {};
    printJson(JSON.stringify({ ...shown, ...members }, null, 2));
    return;
  }
  const names = await loadNames(connection.name, target);
  const { people, links } = target.config;
  const moment = (text: string) => formatLocalMoment(text, connection.timeZone);
  print(...formatStatement(statement, { moment, names, serviceName: people.serviceName }));
  if (flags.members === true) print('', ...formatMembers(statement, names));
  if (links.consoleUrl !== undefined) print('', `console: ${buildConsoleUrl(links.consoleUrl, statement)}`);
}

async function writeCsv(statement: PeriodStatement, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text } of buildCsvFiles(statement)) await writeFile(join(folder, name), text);
}
