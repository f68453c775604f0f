import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Connection } from '#shared/config/schema/connection.ts';
import { computeWindow } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { compareIds } from '#shared/core/events/compare-ids.ts';
import { loadPeriods } from '#shared/flow/stored-records.ts';
import { buildQueries, type LogQuery, openEventLog } from '#shared/operator/log-query.ts';
import { openStore } from '#shared/operator/open-store.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import type { AccountReader } from '#shared/people/messages/account-sentences.ts';
import { buildConsoleUrl } from '#shared/people/record-address.ts';
import { buildCsvFiles, type CsvReader } from '#shared/period/csv.ts';
import { readPeriod } from '#shared/period/flow/read-period.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { print, printJson } from '#shared/terminal/output.ts';
import { openNames } from '../load-names.ts';
import { addReadingOptions } from '../options.ts';
import { comparePaid } from '../period/compare-paid.ts';
import { findPeriod, TOLD_SINCE } from '../period/find-period.ts';
import { formatPeriod } from '../period/format-period.ts';
import { formatPeriods, type ListedPeriod } from '../period/format-periods.ts';
import { formatMembers, listMembers } from '../period/members.ts';

interface PeriodFlags extends TargetFlags {
  readonly connection?: string;
  readonly members?: true;
  readonly csv?: string;
  readonly compare?: string;
}

const HELP = `
Without an id it lists the pay periods with a date that is still polled: whether
payroll may be run, the hours that are ready (approved, or processed already)
and those that are not, and what is still open of those that closed: changes
that no processing has covered.

With an id it shows whether payroll may be run, what it comes to, what is in
doubt of that, what it was told as in the last 90 days, each department, what is
left over, and timesheet by timesheet what changed since it was told. All of it
is in the figures; what no processing has covered is marked as still open. Where
pay periods share dates, it counts its own timesheets; those of which that is
not known are left out, and counted apart.

--compare reads what a payer has paid, a line of JSON for each timesheet:
{"timesheetId":"101206_1","hours":8}. To pay are the hours that are ready.
missing: to pay, not in the file. old: in the file with other hours. too much:
in the file, and not ready or removed. The file may have other periods, too. The
"send" commands that it prints mend it. The exit code is 0 when all is equal,
else 1.

Examples:
  $ npm run notifier -- period
  $ npm run notifier -- period 9013_1 --members
  $ npm run notifier -- period 9013_1 --csv ./period --data .data
  $ npm run notifier -- period 9013_1 --compare paid.ndjson`;

export function periodCommand(withTarget: WithTarget): Command {
  const command = new Command('period')
    .summary('show what a pay period comes to')
    .description(
      'Shows what a pay period comes to, and whether payroll may be run; without an id, all of them.',
    )
    .argument('[id]', 'id of a pay period')
    .option('--connection <name>', 'the connection, where several have a pay period of this id')
    .option('--members', 'also list its timesheets, each with its employee, date, hours and facts')
    .option(
      '--csv <folder>',
      'also write its timesheets into this folder: a file for pay, one of what is left over',
    )
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
  const found: ListedPeriod[] = [];
  for (const query of buildQueries({ ...flags, since: TOLD_SINCE }, target)) {
    const reader = toReader(query.connection, target);
    found.push(...(await readWatched(query, target)).map((reading) => ({ reading, reader })));
  }
  if (flags.json === true) {
    printJson(
      JSON.stringify(
        found.map(({ reading: { timesheets: _, ...shown } }) => shown),
        null,
        2,
      ),
    );
  } else print(...formatPeriods(found));
}

function toReader({ timeZone }: Connection, { config, system }: Target): AccountReader {
  return { timeZone, serviceName: config.people.serviceName, now: Math.floor(system.now()) };
}

/** The pay periods of a connection with a date that is still polled, the earliest first. */
async function readWatched({ connection, from, to }: LogQuery, target: Target): Promise<PeriodReading[]> {
  const store = openStore(target);
  const source = { store, log: openEventLog(target), range: { from, to } };
  const window = computeWindow(Math.floor(target.system.now()), connection.timeZone, connection.window);
  const watched = ((await loadPeriods(connection.name, store)) ?? []).filter(
    ({ startDate, finishDate }) => startDate <= window.to && finishDate >= window.from,
  );
  const found: PeriodReading[] = [];
  for (const { id } of watched.sort((a, b) => compareIds(a.startDate, b.startDate))) {
    const reading = await readPeriod(id, connection, source);
    if (reading !== null) found.push(reading);
  }
  return found;
}

/** Prints a pay period, and writes its files where that is asked. */
async function show(id: string, flags: PeriodFlags, target: Target): Promise<void> {
  const { connection, reading } = await findPeriod(id, flags, target);
  const names = await openNames(target)(connection.name);
  if (flags.csv !== undefined) await writeCsv(flags.csv, reading, { names, timeZone: connection.timeZone });
  if (flags.json === true) {
    const { timesheets, ...shown } = reading;
    const members = flags.members === true ? { timesheets: listMembers({ timesheets }) } : {};
    printJson(JSON.stringify({ ...shown, ...members }, null, 2));
    return;
  }
  print(...formatPeriod(reading, { ...toReader(connection, target), names }));
  if (flags.members === true) print('', ...formatMembers(reading, names));
  const { consoleUrl } = target.config.links;
  if (consoleUrl !== undefined) print('', `console: ${buildConsoleUrl(consoleUrl, reading)}`);
}

async function writeCsv(folder: string, reading: PeriodReading, reader: CsvReader): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text } of buildCsvFiles(reading, reader)) await writeFile(join(folder, name), text);
}
