import { Command } from 'commander';
import type { Connection } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { RecordSelection } from '#shared/flow/stored-records.ts';
import { checkEnabled } from '#shared/operator/deliveries/disabled-webhook.ts';
import { buildQueries, openEventLog } from '#shared/operator/log-query.ts';
import { openStore } from '#shared/operator/open-store.ts';
import { findQueue, findReceiver, type Receiver, SYSTEMS } from '#shared/operator/receivers.ts';
import { readLogged, readStates } from '#shared/operator/send/events-to-send.ts';
import { sendToQueue } from '#shared/operator/send/send-to-queue.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { formatCount } from '#shared/people/messages/numbers.ts';
import { readPeriod } from '#shared/period/flow/read-period.ts';
import type { SelectedEvent } from '#shared/systems/selection.ts';
import { print, table } from '#shared/terminal/output.ts';
import { confirm } from '../confirm.ts';
import { addDataOption, SINCE_FORMS } from '../options.ts';
import { createUnknownPeriodError } from '../period/find-period.ts';

interface SendFlags extends TargetFlags {
  readonly events?: true;
  readonly state?: true;
  readonly to: string;
  readonly since?: string;
  readonly until?: string;
  readonly record?: string;
  readonly period?: string;
  readonly yes?: true;
}

const HELP = `
--events sends what the log has, byte for byte, ids and sequences included.
--state sends what is stored of each record, as timesheet.snapshot,
pay_period.snapshot and so on, with the epoch and the sequence of its latest
event: fold of the package takes it as a base, in any order with events; the
same state has the same id.

The receiver gets what it subscribes to. Of its filter, type and late choose
among changes, and do not count for --state. It counts first and asks for
confirmation. Messages have the attribute "sent-again", of a webhook the header
webhook-sent-again.

Examples:
  $ npm run notifier -- send --events --since 2026-11-17 --until 2026-11-18 --to payroll-system
  $ npm run notifier -- send --state --to payroll
  $ npm run notifier -- send --state --period 9013_1 --to payroll --yes`;

export function sendCommand(withTarget: WithTarget): Command {
  const command = new Command('send')
    .summary('send events or the state of records to a receiver')
    .description('Sends events of the log again, or the state of stored records, to a webhook or a queue.')
    .requiredOption('--to <name>', 'a webhook or a queue of the config')
    .option('--events', 'events of the log')
    .option('--state', 'the state of records')
    .option(
      '--since <time>',
      `with --events: only those logged at or after this time: ${SINCE_FORMS} (default: 24h)`,
    )
    .option('--until <time>', 'with --events: only those logged before this time')
    .option('--record <id>', 'only of this record')
    .option('--period <id>', 'with --state: only this pay period and its timesheets')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', HELP);
  return addDataOption(command).action(async (flags: SendFlags) => {
    checkFlags(flags);
    await withTarget(flags, (target) => send(flags, target));
  });
}

function checkFlags({ events, state, since, until, record, period }: SendFlags): void {
  const refuse = (message: string) => {
    throw new NotifierError('options_wrong', message);
  };
  if ((events === true) === (state === true)) refuse('send needs one of --events and --state');
  if (state === true && (since ?? until) !== undefined)
    refuse('--since and --until choose among events; use --period or --record with --state');
  if (events === true && period !== undefined)
    refuse('--period belongs to --state; use --since and --until with --events');
  if (period !== undefined && record !== undefined)
    refuse('--period and --record exclude each other; leave one out');
}

/** Counts, asks for confirmation, and sends. Throws a `NotifierError`. */
async function send(flags: SendFlags, target: Target): Promise<void> {
  const receiver = findReceiver(flags.to, SYSTEMS, target);
  const queueUrl = findQueue(receiver, target);
  if (receiver.kind === 'webhook') await checkEnabled(receiver.name, target);
  const read =
    flags.events === true
      ? selectEvents(flags, receiver, target)
      : await selectStates(flags, receiver, target);
  const counts = new Map<string, number>();
  for await (const { type } of read()) counts.set(type, (counts.get(type) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  print(...table([...counts].map(([type, count]) => [String(count).padStart(8), type])));
  print(`${formatCount(total, 'event')} to ${receiver.label}`);
  if (total === 0) return;
  if (flags.yes !== true && !(await confirm('send them?', 'nothing was sent'))) return;
  const onSent = (sent: number) => printProgress(sent, total);
  print(`${await sendToQueue(textsOf(read()), queueUrl, { target, onSent })} sent`);
}

type ReadEvents = () => AsyncGenerator<SelectedEvent, void>;

/** Up to now: exactly what was counted is sent, and it does not chase a busy source. */
function selectEvents(flags: SendFlags, { interest }: Receiver, target: Target): ReadEvents {
  const now = Math.floor(target.system.now());
  const queries = buildQueries({ ...flags, since: flags.since ?? '24h' }, target);
  const log = openEventLog(target);
  return async function* () {
    for (const query of queries)
      yield* readLogged({ ...query, to: Math.min(query.to, now) }, log, interest ?? undefined);
  };
}

async function selectStates(flags: SendFlags, { interest }: Receiver, target: Target): Promise<ReadEvents> {
  const store = openStore(target);
  const chosen: { readonly connection: string; readonly select: readonly RecordSelection[] }[] = [];
  for (const connection of target.connections) {
    const select = await selectStored(flags, connection, target);
    if (select !== null) chosen.push({ connection: connection.name, select });
  }
  if (chosen.length === 0) throw createUnknownPeriodError(flags.period ?? '');
  return async function* () {
    for (const { connection, select } of chosen)
      yield* readStates(connection, { select, interest: interest ?? undefined }, store);
  };
}

/** Null when the connection does not have the period. */
async function selectStored(
  { period, record }: SendFlags,
  connection: Connection,
  target: Target,
): Promise<RecordSelection[] | null> {
  if (period === undefined)
    return FEED_NAMES.map(
      (feed): RecordSelection => ({ feed, ...(record === undefined ? {} : { ids: [record] }) }),
    );
  // What was told of it is not read.
  const source = { store: openStore(target), log: openEventLog(target), range: { from: 0, to: 0 } };
  const reading = await readPeriod(period, connection, source);
  if (reading === null) return null;
  const { timesheets, unknown } = reading;
  if (unknown.length > 0)
    print(`left out: ${formatCount(unknown.length, 'timesheet')} whose pay period is not known yet`);
  return [
    { feed: 'pay-periods', ids: [period] },
    { feed: 'timesheets', ids: timesheets.map(({ id }) => id) },
  ];
}

async function* textsOf(events: AsyncIterable<SelectedEvent>): AsyncGenerator<string, void> {
  for await (const { text } of events) yield text;
}

function printProgress(sent: number, total: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${sent} of ${total}${sent === total ? '\n' : ''}`);
}
