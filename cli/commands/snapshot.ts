import { Command } from 'commander';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { type SnapshotRequestInput, snapshotReportSchema } from '#shared/config/requests/replay-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { formatCount } from '#shared/core/messages/numbers.ts';
import { openEventLog } from '#shared/operator/log-query.ts';
import { createUnknownPeriodError } from '#shared/operator/statement/members.ts';
import type { WithTarget } from '#shared/operator/target.ts';
import { selectConnections, type Target, type TargetFlags, toTableOptions } from '#shared/operator/target.ts';
import { MAX_NAMED_RECORDS, type RecordSelection } from '#shared/snapshots/stored-records.ts';
import { type PeriodStatement, readStatement } from '#shared/statements/flow/read-statement.ts';
import { parseInstantOption } from '#shared/terminal/options.ts';
import { print } from '#shared/terminal/output.ts';
import { addRateOption, addTargetOptions } from '../options.ts';
import { countAndSend, type SendingFlags } from '../receivers/count-and-send.ts';
import { resolveSnapshotReceiver } from '../receivers/receiver.ts';

interface SnapshotFlags extends TargetFlags, SendingFlags {
  readonly to: string;
  readonly period?: string;
  readonly since?: string;
  readonly connection?: string;
  readonly rate?: number;
}

const HELP = `
Sends the stored state of each record, as timesheet.snapshot or pay_period.snapshot,
with the epoch and the sequence of its latest event: fold of the package takes it as
a base, in any order with events. Counts first and asks for confirmation. The same
state has the same id, whenever it is sent.

A receiver gets the records of its topics, connections, organisations and departments;
type and late of its filter choose among changes, and do not count here.

Examples:
  $ npm run notifier -- snapshot --to subscriptions/payroll --dry-run
  $ npm run notifier -- snapshot --to subscriptions/payroll --period 9013_1
  $ npm run notifier -- snapshot --to webhooks/payroll-system --since 2026-11-09 --yes`;

export function snapshotCommand(withTarget: WithTarget): Command {
  const command = addRateOption(
    new Command('snapshot')
      .summary('send the state of stored records to a receiver')
      .description(
        'Sends the state of stored records to a queue or a webhook, so that it can begin or catch up.',
      )
      .requiredOption('--to <receiver>', 'subscriptions/<name> or webhooks/<name>')
      .option('--period <id>', 'only this pay period and its timesheets, as statement --members lists them')
      .option(
        '--since <time>',
        'only timesheets of this date or later, and pay periods that end then: an age such as 14d, or a date',
      )
      .option('--connection <name>', 'only this connection (default: all)'),
  )
    .option('--dry-run', 'only count the records')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', HELP);
  return addTargetOptions(command).action((flags: SnapshotFlags) =>
    withTarget(flags, (target) => sendSnapshots(flags, target)),
  );
}

/** Counts the selected records, asks for confirmation, and sends their state. Throws a `NotifierError`. */
async function sendSnapshots(flags: SnapshotFlags, target: Target): Promise<void> {
  const { to, rate } = flags;
  const receiver = await resolveSnapshotReceiver(flags, target);
  const requests: SnapshotRequestInput[] = [];
  for (const connection of selectConnections(target.connections, flags.connection)) {
    const pace = rate === undefined ? {} : { perSecond: rate };
    for (const select of await selectStored(flags, connection, target))
      requests.push({ kind: 'snapshot', connection: connection.name, select, ...receiver, ...pace });
  }
  if (requests.length === 0) throw createUnknownPeriodError(flags.period ?? '');
  const words = { one: 'record', many: 'records', question: 'send their state?', done: 'sent' };
  await countAndSend({ requests, report: snapshotReportSchema, to, words }, flags, target);
}

/** What each request selects; nothing when the connection does not have the period. */
async function selectStored(
  { period, since, json }: SnapshotFlags,
  connection: Connection,
  target: Target,
): Promise<RecordSelection[][]> {
  const dates = since === undefined ? {} : { from: readDate(since, connection, target) };
  if (period === undefined)
    return [
      [
        { feed: 'pay-periods', ...dates },
        { feed: 'timesheets', ...dates },
      ],
    ];
  if (since !== undefined)
    throw new NotifierError('options_wrong', '--period and --since exclude each other; leave one out');
  const statement = await readNow(period, connection, target);
  if (statement === null) return [];
  if (json !== true) print(...listDoubts(statement));
  const { startDate: from, finishDate: to } = statement.period;
  const timesheets = selectTimesheets(statement.timesheets.map(({ id }) => id));
  return [
    [{ feed: 'pay-periods', ids: [period] }],
    ...timesheets.map((selection) => [{ ...selection, from, to }]),
  ];
}

/** What is stored of a pay period, without its past. */
function readNow(period: string, connection: Connection, target: Target): Promise<PeriodStatement | null> {
  const store = createDynamoSnapshotStore(toTableOptions(target));
  const now = Math.floor(target.system.now());
  return readStatement(period, connection, {
    store,
    log: openEventLog(target),
    range: { from: now, to: now },
  });
}

function listDoubts({ now: { membersUnknown = 0, sharesDatesWith } }: PeriodStatement): string[] {
  const unknown = formatCount(membersUnknown, 'timesheet');
  return [
    ...(membersUnknown === 0 ? [] : [`left out: ${unknown} whose pay period is not known yet`]),
    ...(sharesDatesWith.length === 0
      ? []
      : ['all timesheets of these dates, since it is not known which belong to another calendar']),
  ];
}

/** Timesheets by their ids, in selections that each fit into a request. */
export function selectTimesheets(ids: readonly string[]): RecordSelection[] {
  const selections: RecordSelection[] = [];
  for (let start = 0; start < ids.length; start += MAX_NAMED_RECORDS)
    selections.push({ feed: 'timesheets', ids: ids.slice(start, start + MAX_NAMED_RECORDS) });
  return selections;
}

function readDate(since: string, { timeZone }: Connection, { system }: Target): string {
  const now = Math.floor(system.now());
  return toLocalDate(parseInstantOption('--since', since, { now, timeZone }), timeZone);
}
