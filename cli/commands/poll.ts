import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Command, Option } from 'commander';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { System } from '#shared/adapters/system/system.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { listSummaryTimes } from '#shared/config/schema/alerting.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierError, SourceError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { type DryRun, dryRun } from '#shared/flow/dry-run.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { createConnectionClients } from '#shared/operator/connection-clients.ts';
import { selectConnections, type TargetFlags, toTableOptions } from '#shared/operator/target.ts';
import { formatEventLine } from '#shared/terminal/event-line.ts';
import { escapeUnprintable, printJson } from '#shared/terminal/output.ts';
import { addTargetOptions } from '../options.ts';

/** Pay periods first: they decide which dates of timesheets are polled. */
const FEEDS: readonly FeedName[] = ['pay-periods', 'timesheets'];

const HELP = `
Asks the source as a poll would and compares the answers with what is stored.
Nothing is stored or published, and no lease is taken, so scheduled polls go on
undisturbed. The exit code is 1 when a scan was not complete.

Examples:
  $ npm run notifier -- poll --dry-run
  $ npm run notifier -- poll --dry-run --feed timesheets --window --json`;

/** What a dry run needs of a target. */
interface PollTarget extends DryRunContext {
  readonly config: Pick<NotifierConfig, 'alerts'>;
  readonly connections: readonly Connection[];
}

export type WithPollTarget = (
  flags: TargetFlags,
  run: (target: PollTarget) => Promise<void>,
) => Promise<void>;

interface PollFlags extends TargetFlags {
  readonly dryRun?: true;
  readonly connection?: string;
  readonly feed?: FeedName;
  readonly window?: true;
}

export function pollCommand(withTarget: WithPollTarget): Command {
  const command = new Command('poll')
    .summary('show what a poll would emit now')
    .description('Shows which events a poll would emit now, and stores nothing.')
    .option('--dry-run', 'required: real polls are started by their schedules')
    .option('--connection <name>', 'only this connection (default: all)')
    .addOption(new Option('--feed <feed>', 'only this feed (default: all that are polled)').choices(FEEDS))
    .option('--window', 'scan every date of the window, not only those due now')
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (flags: PollFlags) => {
    if (flags.dryRun !== true) throw createDryRunRequiredError();
    await withTarget(flags, (target) => run(flags, target));
  });
}

async function run(flags: PollFlags, target: PollTarget): Promise<void> {
  const feeds = flags.feed === undefined ? FEEDS : [flags.feed];
  const scope = flags.window === true ? 'window' : 'due';
  const summaries = listSummaryTimes(target.config.alerts);
  const runs: DryRun[] = [];
  for (const connection of selectConnections(target.connections, flags.connection)) {
    for await (const dry of dryRunFeeds({ connection, feeds, scope, summaries }, target)) {
      runs.push(dry);
      if (flags.json !== true) show(dry, connection.timeZone);
    }
  }
  if (flags.json === true) printJson(formatDryRunJson(runs));
  if (runs.some(({ report }) => report.outcome !== 'complete')) process.exitCode = 1;
}

function show(dry: DryRunWithErrors, timeZone: string): void {
  for (const line of formatDryRun(dry, timeZone)) console.log(line);
  // What the source said may name people: shown on a terminal, never written to a file.
  if (process.stdout.isTTY !== true) return;
  for (const text of dry.said) console.log(`  ! the source said: ${escapeUnprintable(text)}`);
}

function createDryRunRequiredError(): NotifierError {
  return new NotifierError(
    'options_wrong',
    'poll needs --dry-run, which stores nothing; real polls are started by their schedules',
  );
}

/** Real time; the default timeout of a poll function. */
const TIME_LIMIT_MS = 300_000;

/** What a dry run needs of a target. */
interface DryRunContext {
  readonly dynamoDb: DynamoDBClient;
  readonly tableName: string;
  readonly readSecret: (secretName: string) => (ask: { readonly fresh: boolean }) => Promise<string>;
  readonly system: System;
  /** Seconds of the clock per real second; default 1. */
  readonly speed?: number;
}

interface DryRunTask {
  readonly connection: Connection;
  readonly feeds: readonly FeedName[];
  /** `due`: the slices due now. `window`: every slice of the window. */
  readonly scope: PollRequest['scope'];
  /** Times of day of the daily summaries; default: none. */
  readonly summaries?: readonly string[];
}

/** A dry run, and the error messages of the source: they may name people, show them on a terminal only. */
interface DryRunWithErrors extends DryRun {
  readonly said: readonly string[];
}

/** Runs the feeds of a connection one after another. */
export async function* dryRunFeeds(
  task: DryRunTask,
  context: DryRunContext,
): AsyncGenerator<DryRunWithErrors, void> {
  const { connection, scope, summaries = [] } = task;
  const { system, speed = 1 } = context;
  const createClient = createConnectionClients(connection, context);
  for (const feed of task.feeds) {
    const deadline = system.now() + TIME_LIMIT_MS * speed;
    const order = {
      feed,
      request: { connection, scope, summaries: [...summaries] },
      runId: system.uniqueId(),
      deadline,
    };
    const store = createDynamoSnapshotStore(toTableOptions(context));
    const { pageSize } = connection.requests;
    const source = createSourceApi(createClient(deadline), { pageSize, now: system.now });
    const said = new Set<string>();
    const run = await dryRun(order, { source: recordSourceErrors(source, said), clock: system, store });
    yield { ...run, said: [...said] };
  }
}

/** The same source, with its error messages added to `said`. */
function recordSourceErrors(source: SourceApi, said: Set<string>): SourceApi {
  const note = (error: unknown) => {
    if (error instanceof SourceError && error.said !== null) said.add(error.said);
  };
  return {
    ...source,
    async *pages(feed, range) {
      const end = yield* source.pages(feed, range);
      note(end.error);
      return end;
    },
    async lookUp(feed, id) {
      try {
        return await source.lookUp(feed, id);
      } catch (error) {
        note(error);
        throw error;
      }
    },
  };
}

/** Readable lines: a heading with the count, one line per event, and what was in the way. */
export function formatDryRun({ report, events }: DryRun, timeZone: string): string[] {
  const { connection, feed, outcome, reasons, remainingSlices, heldClosings = 0 } = report;
  const waiting = events.filter(({ committed }) => committed).length;
  const notes = [
    ...(waiting === 0 ? [] : [`${waiting} of them committed earlier and not yet published`]),
    ...(heldClosings === 0
      ? []
      : [`closings of ${heldClosings} pay periods wait until their dates were read again`]),
    ...(outcome === 'complete' ? [] : [`the scan is ${outcome}`]),
  ];
  const heading = `${connection} ${feed}: ${countEvents(events.length)} would be emitted`;
  return [
    [heading, ...notes].join('; '),
    ...events.map(({ text }) => `  ${formatEventLine(text, timeZone)}`),
    ...reasons.map((reason) => `  ! ${escapeUnprintable(reason)}`),
    // A refused credential leaves slices too, for another reason, which is given above.
    ...(remainingSlices === 0 || outcome === 'refused'
      ? []
      : [`  ! no time for ${remainingSlices} more slices`]),
  ];
}

export function formatDryRunJson(runs: readonly DryRun[]): string {
  const feeds = runs.map(({ report, events }) => ({
    ...report,
    events: events.map(({ text, committed }) => ({ committed, event: JSON.parse(text) as unknown })),
  }));
  return JSON.stringify({ feeds }, null, 2);
}

function countEvents(count: number): string {
  if (count === 0) return 'nothing';
  return count === 1 ? '1 event' : `${count} events`;
}
