import { Command } from 'commander';
import { createPersonEraser } from '#shared/adapters/dynamo/person-eraser.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { listPolledFeeds } from '#shared/config/schema/directory.ts';
import { computeWindow } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { isDirectoryFeed } from '#shared/core/feeds.ts';
import { createEventLog } from '#shared/flow/event-log.ts';
import { openStore } from '#shared/operator/open-store.ts';
import {
  selectConnections,
  type Target,
  type TargetFlags,
  toTableOptions,
  type WithTarget,
} from '#shared/operator/target.ts';
import { formatCount } from '#shared/people/messages/numbers.ts';
import { type FoundEmployee, findEmployee } from '#shared/systems/flow/find-employee.ts';
import { type ForgetPorts, type ForgetReport, forgetEmployee } from '#shared/systems/flow/forget-employee.ts';
import { escapeUnprintable, print } from '#shared/terminal/output.ts';
import { confirm } from '../confirm.ts';
import { addDataOption } from '../options.ts';

interface ForgetFlags extends TargetFlags {
  readonly employee?: string;
  readonly connection?: string;
  readonly name?: string;
  readonly force?: true;
  readonly yes?: true;
}

const DAY_MS = 86_400_000;
/** A connection that was polled within so long is still deployed. */
const STILL_POLLED_MS = 3_600_000;

const HELP = `
Erases an employee from what the notifier keeps: stored timesheets, the lists of
employees and departments, the event log, told pay periods, waiting messages and
pay calendars. Ids and sequences of timesheets stay, so that events keep their
order. The next poll publishes employee.forgotten for each of them.
docs/security.md says what is out of reach.

Erase the employee in the source first: the command refuses while it lists
timesheets of the employee in the window, or, where these lists are polled, the
employee or a department that the employee manages. Their name goes with their
entry in the list: waiting messages are searched for it with --name. With
--force what is stored is erased all the same, and the next poll stores and
publishes it anew. Run again after an interruption, the command goes on; run
again when all is done, it changes nothing.

It reads the whole table, once, beside the stored lists and the event log.

Without --employee it deletes all that is stored of a connection that is no
longer in the config.

Examples:
  $ npm run notifier -- forget --employee 1030_1 --name 'Ana Lee'
  $ npm run notifier -- forget --employee 1030_1 --connection second --yes
  $ npm run notifier -- forget --connection former`;

/** What the command cannot erase. */
const OUT_OF_REACH: readonly string[] = [
  'Out of reach, and for you to erase or to wait for:',
  '  events and messages in queues and dead-letter queues: 14 days at most; run this again when they are empty',
  '  what subscribers and webhooks keep: employee.forgotten tells them to erase it',
  '  messages in Slack, Teams and mailboxes',
  '  backups of the table: 35 days of point-in-time recovery, and your own; after a restore run this again',
  '  logs of functions, which have ids of timesheets, and what commands printed or wrote',
];

export function forgetCommand(withTarget: WithTarget): Command {
  const command = new Command('forget')
    .summary('erase an employee, or a removed connection')
    .description('Erases an employee, or all of a removed connection, from what the notifier keeps.')
    .option('--employee <id>', 'id of the employee in the source')
    .option('--connection <name>', 'the connection (default: the only one of the config)')
    .option('--name <name>', 'as messages call the employee, once the source lists them no more')
    .option('--force', 'also while the source still lists the employee')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', HELP);
  return addDataOption(command).action(async (flags: ForgetFlags) => {
    await withTarget(flags, (target) => forget(flags, target));
  });
}

/** Throws a `NotifierError`: `still_listed`, `connection_in_use`, `connection_unknown`, `options_wrong`, `not_confirmed`. */
export async function forget(flags: ForgetFlags, target: Target): Promise<void> {
  if (flags.employee === undefined) await forgetConnection(flags, target);
  else await forgetOne(flags.employee, flags, target);
}

async function forgetOne(employeeId: string, flags: ForgetFlags, target: Target): Promise<void> {
  const connection = selectOne(flags, target);
  const ports = createPorts(target);
  const retentionMs = connection.retentionDays * DAY_MS;
  const { name } = flags;
  const request = { connection: connection.name, employeeId, name, retentionMs };
  const found = await findEmployee(request, ports);
  const shown = escapeUnprintable(employeeId);
  if (flags.force !== true) checkSource(found, connection, target);
  const stored = found.removed.length + found.records.filter(({ feed }) => feed === 'timesheets').length;
  const question = `erase employee ${shown} of ${connection.name} (${formatCount(stored, 'timesheet')})? This cannot be undone.`;
  if (flags.yes !== true && !(await confirm(question, 'nothing was erased'))) return;
  const report = await forgetEmployee(request, ports);
  print(...describeReport(shown, report), ...OUT_OF_REACH);
}

/** Throws a `NotifierError` without `--connection` where there are several. */
function selectOne({ connection }: ForgetFlags, { connections }: Target): Connection {
  const [first, ...others] = selectConnections(connections, connection);
  if (first !== undefined && others.length === 0) return first;
  const names = connections.map(({ name }) => name).join(', ');
  throw new NotifierError('options_wrong', `name the connection with --connection; it is one of ${names}`);
}

function createPorts(target: Target): ForgetPorts {
  const store = openStore(target);
  const now = () => Math.floor(target.system.now());
  const { sleep } = target.system;
  const eraser = createPersonEraser(toTableOptions(target));
  return { store, log: createEventLog(store), eraser, clock: { now }, sleep };
}

/** Throws a `NotifierError` while the next poll would bring the employee back. */
function checkSource(found: FoundEmployee, connection: Connection, { system, config }: Target): void {
  const { from, to } = computeWindow(system.now(), connection.timeZone, connection.window);
  const timesheets = found.records.filter(({ feed }) => feed === 'timesheets');
  const slices = [...new Set(timesheets.map(({ slice }) => slice))].sort();
  const dates = slices.filter((date) => from <= date && date <= to);
  if (dates.length > 0)
    throw stillListedError(
      `timesheets of this employee on ${formatCount(dates.length, 'date')} of the window, ${dates[0]} to ${dates.at(-1)}`,
      'these dates are polled',
    );
  const polled = listPolledFeeds(config);
  const listed = found.records.filter(({ feed }) => isDirectoryFeed(feed) && polled.includes(feed));
  if (listed.some(({ feed }) => feed === 'employees'))
    throw stillListedError('this employee', 'employees are polled, every 20 minutes');
  if (listed.length > 0)
    throw stillListedError(
      `this employee as the manager of ${formatCount(listed.length, 'department')}`,
      'departments are polled, every 20 minutes',
    );
}

function stillListedError(what: string, polled: string): NotifierError {
  return new NotifierError(
    'still_listed',
    `the source lists ${what}, as of its last poll: the next one would bring them back; erase them in the source, wait until ${polled}, and run this again, or add --force`,
  );
}

function describeReport(shown: string, { timesheets, items }: ForgetReport): string[] {
  if (timesheets === 0 && items === 0) return [`nothing is stored of employee ${shown}`];
  return [
    `forgot employee ${shown}: ${formatCount(timesheets, 'timesheet')}, ${formatCount(items, 'other item')} of the table`,
    ...(timesheets === 0 ? [] : ['the next poll publishes employee.forgotten for each timesheet']),
  ];
}

async function forgetConnection(flags: ForgetFlags, target: Target): Promise<void> {
  const { connection: name } = flags;
  if (name === undefined)
    throw new NotifierError(
      'options_wrong',
      'name whom to forget: --employee, or --connection for a removed one',
    );
  await checkRemoved(name, target);
  const question = `delete all that is stored of connection ${escapeUnprintable(name)}? This cannot be undone.`;
  if (flags.yes !== true && !(await confirm(question, 'nothing was deleted'))) return;
  const items = await createPersonEraser(toTableOptions(target)).forgetConnection(name);
  print(`deleted ${formatCount(items, 'item')} of connection ${escapeUnprintable(name)}`);
}

/** Throws a `NotifierError` for a connection that is configured, or was polled just now. */
async function checkRemoved(name: string, target: Target): Promise<void> {
  const configured = [...target.config.connections, ...target.connections];
  if (configured.some((connection) => connection.name === name))
    throw new NotifierError(
      'connection_in_use',
      `connection ${escapeUnprintable(name)} is in the config; remove it there and deploy, or add --employee`,
    );
  const { clock = 0, lookedAt = {} } = (await openStore(target).loadState(name)) ?? {};
  const polledAt = Math.max(clock, ...Object.values(lookedAt));
  if (target.system.now() - polledAt >= STILL_POLLED_MS) return;
  throw new NotifierError(
    'connection_in_use',
    `connection ${escapeUnprintable(name)} was polled within the last hour; deploy the config without it, wait for an hour, and run this again`,
  );
}
