import { Command } from 'commander';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { type SnapshotRequestInput, snapshotReportSchema } from '#shared/config/requests/snapshot-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { RecordSelection } from '#shared/core/replay/stored-records.ts';
import { escapeUnprintable } from '../output.ts';
import { countAndSend, type SendingFlags } from '../receivers/count-and-send.ts';
import { addRateOption } from '../receivers/rate-option.ts';
import { resolveSnapshotReceiver } from '../receivers/snapshot-receiver.ts';
import { readPeriod } from '../statement/read-statement.ts';
import { addTargetOptions, withTarget } from '../targets/open-target.ts';
import { selectConnections } from '../targets/select-connections.ts';
import { type Target, type TargetFlags, toTableOptions } from '../targets/target.ts';
import { parseInstantOption } from '../time-options.ts';

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

export function snapshotCommand(): Command {
  const command = addRateOption(
    new Command('snapshot')
      .summary('send the state of stored records to a receiver')
      .description(
        'Sends the state of stored records to a queue or a webhook, so that it can begin or catch up.',
      )
      .requiredOption('--to <receiver>', 'subscriptions/<name> or webhooks/<name>')
      .option('--period <id>', 'only this pay period and the timesheets on its dates')
      .option(
        '--since <time>',
        'only timesheets of this date or later, and pay periods that end then: an age such as 14d, or a date',
      )
      .option('--connection <name>', 'only this connection (default: all)'),
  )
    .option('--dry-run', 'only count the records')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (flags: SnapshotFlags) => {
    await withTarget(flags, (target) => sendSnapshots(flags, target));
  });
}

/** Counts the selected records, asks for confirmation, and sends their state. Throws a `NotifierError`. */
export async function sendSnapshots(flags: SnapshotFlags, target: Target): Promise<void> {
  const { to, rate } = flags;
  const receiver = await resolveSnapshotReceiver(flags, target);
  const requests: SnapshotRequestInput[] = [];
  for (const connection of selectConnections(target.connections, flags.connection)) {
    const select = await selectStored(flags, connection, target);
    if (select === null) continue;
    const pace = rate === undefined ? {} : { perSecond: rate };
    requests.push({ kind: 'snapshot', connection: connection.name, select, ...receiver, ...pace });
  }
  if (requests.length === 0) throw createUnknownPeriodError(flags.period ?? '');
  const words = { one: 'record', many: 'records', question: 'send their state?', done: 'sent' };
  await countAndSend({ requests, report: snapshotReportSchema, to, words }, flags, target);
}

export function createUnknownPeriodError(id: string): NotifierError {
  return new NotifierError(
    'period_unknown',
    `no pay period ${escapeUnprintable(id)} is stored; use an id as in the events`,
  );
}

/** Null when the connection does not have the period. */
async function selectStored(
  { period, since }: SnapshotFlags,
  connection: Connection,
  target: Target,
): Promise<RecordSelection[] | null> {
  const dates = since === undefined ? {} : { from: readDate(since, connection, target) };
  if (period === undefined)
    return [
      { feed: 'pay-periods', ...dates },
      { feed: 'timesheets', ...dates },
    ];
  if (since !== undefined)
    throw new NotifierError('options_wrong', '--period and --since exclude each other; leave one out');
  const store = createDynamoSnapshotStore(toTableOptions(target));
  const found = await readPeriod(period, { connection: connection.name, feed: 'pay-periods' }, { store });
  if (found === null) return null;
  return [
    { feed: 'pay-periods', ids: [period] },
    { feed: 'timesheets', from: found.startDate, to: found.finishDate },
  ];
}

function readDate(since: string, { timeZone }: Connection, { system }: Target): string {
  const now = Math.floor(system.now());
  return toLocalDate(parseInstantOption('--since', since, { now, timeZone }), timeZone);
}
