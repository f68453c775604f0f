import { Command } from 'commander';
import { type ReplayRequestInput, replayReportSchema } from '#shared/config/requests/replay-request.ts';
import { checkEnabled } from '#shared/operator/deliveries/disabled-webhook.ts';
import { buildQueries, type LogFlags, type LogQuery } from '#shared/operator/log-query.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { addLogOptions, addRateOption, addTargetOptions } from '../options.ts';
import { countAndSend } from '../receivers/count-and-send.ts';
import { findReceiver } from '../receivers/receiver.ts';

const RECEIVERS = {
  headings: ['subscriptions', 'webhooks'],
  advice: 'use subscriptions/<name> or webhooks/<name>, or leave it out for all',
} as const;

interface ReplayFlags extends LogFlags, TargetFlags {
  readonly to?: string;
  readonly rate?: number;
  readonly dryRun?: true;
  readonly yes?: true;
}

const HELP = `
Counts the matching events, asks for confirmation, and publishes them. They are
byte for byte the same, ids and sequences included, with the message attribute
"replayed". Alerts to Slack and by mail are not sent again.

Examples:
  $ npm run notifier -- replay --since 2026-11-17 --until 2026-11-18 --dry-run
  $ npm run notifier -- replay --since 3d --type timesheet.approved --to webhooks/payroll-system
  $ npm run notifier -- replay --since 90d --record 101206_1 --yes`;

export function replayCommand(withTarget: WithTarget): Command {
  const command = addRateOption(
    new Command('replay')
      .summary('publish events of the log again')
      .description('Publishes events of the log again, to all subscribers or to one.')
      .option(
        '--to <receiver>',
        'only to subscriptions/<name> or webhooks/<name> (default: all subscribers)',
      ),
  )
    .option('--dry-run', 'only count the events')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', HELP);
  return addTargetOptions(addLogOptions(command, '24h')).action((flags: ReplayFlags) =>
    withTarget(flags, (target) => replay(flags, target)),
  );
}

/** Counts the matching events, asks for confirmation, and publishes them. Throws a `NotifierError`. */
export async function replay(flags: ReplayFlags, target: Target): Promise<void> {
  const destination = await resolveDestination(flags, target);
  const queries = limitQueries(Math.floor(target.system.now()), buildQueries(flags, target));
  const requests = queries.map((query) => buildRequest(query, destination, flags));
  const to = flags.to ?? 'all subscribers';
  const words = { one: 'event', many: 'events', question: 'publish them again?', done: 'published again' };
  await countAndSend({ requests, report: replayReportSchema, to, words }, flags, target);
}

/** Excludes later events: exactly what was counted is published, and a replay does not chase a busy source. */
function limitQueries(moment: number, queries: readonly LogQuery[]): LogQuery[] {
  return queries.map((query) => ({ ...query, to: Math.min(query.to, moment) }));
}

function buildRequest(
  { connection, feeds, from, to, types, record }: LogQuery,
  destination: Destination,
  { rate }: ReplayFlags,
): ReplayRequestInput {
  return {
    connection: connection.name,
    feeds: [...feeds],
    from,
    to,
    ...destination,
    ...(types === undefined ? {} : { types: [...types] }),
    ...(record === undefined ? {} : { record }),
    ...(rate === undefined ? {} : { perSecond: rate }),
  };
}

/** Where a replay goes, and which events the receiver takes. */
type Destination = Pick<ReplayRequestInput, 'target' | 'interest'>;

/** Throws a `NotifierError` for an unknown receiver or a disabled webhook. */
async function resolveDestination({ to, dryRun }: ReplayFlags, target: Target): Promise<Destination> {
  if (to === undefined) return { target: { kind: 'topics' } };
  const { kind, name, queueUrl, interest } = findReceiver(to, RECEIVERS, target);
  if (kind === 'webhook' && dryRun !== true) await checkEnabled(name, target);
  return {
    target: { kind: 'queue', queueUrl },
    ...(interest === null ? {} : { interest: { topics: interest.topics, filter: interest.filter } }),
  };
}
