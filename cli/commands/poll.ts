import { Command, Option } from 'commander';
import { listSummaryTimes } from '#shared/config/schema/alerting.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { DryRun } from '#shared/flow/dry-run.ts';
import type { TargetFlags } from '#shared/operator/target.ts';
import { selectConnections } from '#shared/operator/target.ts';
import { escapeUnprintable, printJson } from '#shared/terminal/output.ts';
import { type DryRunContext, type DryRunWithErrors, dryRunFeeds } from '../dry-run/dry-run-feeds.ts';
import { formatDryRun, formatDryRunJson } from '../dry-run/dry-run-report.ts';
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
  readonly json?: true;
}

export function pollCommand(withTarget: WithPollTarget): Command {
  const command = new Command('poll')
    .summary('show what a poll would emit now')
    .description('Shows which events a poll would emit now, and stores nothing.')
    .option('--dry-run', 'required: real polls are started by their schedules')
    .option('--connection <name>', 'only this connection (default: all)')
    .addOption(new Option('--feed <feed>', 'only this feed (default: both)').choices(FEEDS))
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
