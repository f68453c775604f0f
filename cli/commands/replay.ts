import { Command, InvalidArgumentError } from 'commander';
import {
  REPLAY_RATE,
  type ReplayReport,
  type ReplayRequestInput,
  replayReportSchema,
} from '#shared/config/requests/replay-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { confirm } from '../confirm.ts';
import { addLogOptions } from '../events/log-options.ts';
import { buildQueries, type LogFlags, type LogQuery } from '../events/log-query.ts';
import { print, table } from '../output.ts';
import { checkEnabled } from '../receivers/disabled-webhook.ts';
import { findReceiver } from '../receivers/receiver.ts';
import { addTargetOptions, withTarget } from '../targets/open-target.ts';
import type { Target, TargetFlags } from '../targets/target.ts';

/** Invocations in a row that leave events unpublished, after which the replay gives up. */
const MAX_FAILURES = 3;
const RECEIVERS = {
  headings: ['subscriptions', 'webhooks', 'event-bus'],
  advice: 'use subscriptions/<name>, webhooks/<name> or event-bus, or leave it out for all',
} as const;

interface ReplayFlags extends LogFlags, TargetFlags {
  readonly to?: string;
  readonly rate?: number;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

const HELP = `
Counts the matching events, asks for confirmation, and publishes them. They are
byte for byte the same, ids and sequences included, with the message attribute
"replayed"; on an event bus it is in "resources". Alerts to Slack and by mail are not sent again.

Examples:
  $ npm run notifier -- replay --since 2026-11-17 --until 2026-11-18 --dry-run
  $ npm run notifier -- replay --since 3d --type timesheet.approved --to webhooks/payroll-system
  $ npm run notifier -- replay --since 90d --record 101206_1 --yes`;

export function replayCommand(): Command {
  const command = new Command('replay')
    .summary('publish events of the log again')
    .description('Publishes events of the log again, to all subscribers or to one.')
    .option(
      '--to <receiver>',
      'only to subscriptions/<name>, webhooks/<name> or event-bus (default: all subscribers)',
    )
    .option(
      '--rate <number>',
      `events per second, from ${REPLAY_RATE.min} to ${REPLAY_RATE.max} (default: ${REPLAY_RATE.default})`,
      parseRate,
    )
    .option('--dry-run', 'only count the events')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', HELP);
  return addTargetOptions(addLogOptions(command, '24h')).action(async (flags: ReplayFlags) => {
    await withTarget(flags, (target) => replay(flags, target));
  });
}

/** Counts the matching events, asks for confirmation, and publishes them. Throws a `NotifierError`. */
export async function replay(flags: ReplayFlags, target: Target): Promise<void> {
  const destination = await resolveDestination(flags, target);
  const queries = limitQueries(Math.floor(target.system.now()), buildQueries(flags, target));
  const requests = queries.map((query) => buildRequest(query, destination, flags));
  const counted = await replayAll(
    requests.map((request) => ({ ...request, dryRun: true })),
    target,
  );
  const events = sumCounts(counted.matched);
  const to = flags.to ?? 'all subscribers';
  if (flags.json !== true) {
    print(
      ...table(Object.entries(counted.matched).map(([type, count]) => [String(count).padStart(8), type])),
    );
    print(`${events} ${events === 1 ? 'event' : 'events'} to ${to}`);
  }
  if (flags.dryRun === true || events === 0) {
    if (flags.json === true) print(JSON.stringify({ to, matched: counted.matched, published: 0 }));
    return;
  }
  if (flags.yes !== true && !(await confirm('publish them again?'))) return;
  const done = await replayAll(requests, target, (published) => printProgress(published, events));
  if (flags.json === true) print(JSON.stringify({ to, ...done }));
  else print(`${done.published} published again`);
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

interface Replayed {
  readonly matched: Readonly<Record<string, number>>;
  readonly published: number;
}

async function replayAll(
  requests: readonly ReplayRequestInput[],
  target: Target,
  onProgress: (published: number) => void = () => {},
): Promise<Replayed> {
  const matched: Record<string, number> = {};
  let published = 0;
  for (const request of requests) {
    for await (const report of replaySteps(request, target)) {
      for (const [type, count] of Object.entries(report.matched))
        matched[type] = (matched[type] ?? 0) + count;
      published += report.published;
      onProgress(published);
    }
  }
  return { matched, published };
}

/** Invokes the function until all is published: each invocation stops before its timeout. */
async function* replaySteps(request: ReplayRequestInput, target: Target): AsyncGenerator<ReplayReport, void> {
  let after: ReplayReport['next'] = null;
  let failures = 0;
  for (;;) {
    const report: ReplayReport = replayReportSchema.parse(
      await target.invoke('replay-events', { ...request, after }),
    );
    yield report;
    if (report.done) return;
    failures = report.unpublished > 0 ? failures + 1 : 0;
    if (failures === MAX_FAILURES) {
      throw new NotifierError(
        'replay_stopped',
        `${report.unpublished} events could not be published, ${MAX_FAILURES} times in a row; see the log of the function replay-events, then run the replay again: events published twice have the same id`,
      );
    }
    after = report.next;
  }
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

function printProgress(published: number, events: number): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r${published} of ${events}${published === events ? '\n' : ''}`);
}

function sumCounts(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (Number.isFinite(rate) && rate >= REPLAY_RATE.min && rate <= REPLAY_RATE.max) return rate;
  throw new InvalidArgumentError(`use a number from ${REPLAY_RATE.min} to ${REPLAY_RATE.max}`);
}
