import { Command, Option } from 'commander';
import type { Connection } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { DryRun } from '#shared/flow/dry-run.ts';
import { type DryRunContext, type DryRunWithErrors, dryRunFeeds } from '../dry-run/dry-run-feeds.ts';
import { formatDryRun, formatDryRunJson } from '../dry-run/dry-run-report.ts';

/** Pay periods first: they say which dates of timesheets matter. */
const FEEDS: readonly FeedName[] = ['pay-periods', 'timesheets'];

const EXAMPLES = `
Examples:
  $ npm run notifier -- poll --dry-run
  $ npm run notifier -- poll --dry-run --feed timesheets --window --json

Nothing is stored or published, and no lease is taken: the source is asked as a poll would ask it.`;

/** A deployment, or the machine of a data folder, whose polls are tried. */
interface PollTarget extends DryRunContext {
  readonly connections: readonly Connection[];
  close(): Promise<void>;
}

/** Opens what the flags of the command and of the whole program name. */
export type OpenPollTarget = (flags: {
  readonly data?: string;
  readonly stack?: string;
}) => Promise<PollTarget>;

interface PollFlags {
  readonly dryRun?: true;
  readonly connection?: string;
  readonly feed?: FeedName;
  readonly window?: true;
  readonly json?: true;
}

/** `notifier poll --dry-run`: what a poll would emit now. The exit code is 1 when not all could be seen. */
export function pollCommand(open: OpenPollTarget): Command {
  return new Command('poll')
    .description('say what a poll would emit now, and store nothing')
    .option('--dry-run', 'required: real polls are started by their schedules')
    .option('--connection <name>', 'only this connection; all of them when left out')
    .addOption(new Option('--feed <name>', 'only this feed; both when left out').choices(FEEDS))
    .option('--window', 'look at every date of the window, not only at what is due')
    .option('--json', 'one JSON object instead of lines')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: PollFlags, command: Command) => {
      if (flags.dryRun !== true) throw createDryRunRequiredError();
      const target = await open(command.optsWithGlobals());
      try {
        await run(flags, { target, json: command.optsWithGlobals<PollFlags>().json === true });
      } finally {
        await target.close();
      }
    });
}

async function run(
  flags: PollFlags,
  { target, json }: { readonly target: PollTarget; readonly json: boolean },
): Promise<void> {
  const feeds = flags.feed === undefined ? FEEDS : [flags.feed];
  const scope = flags.window === true ? 'window' : 'due';
  const runs: DryRun[] = [];
  for (const connection of selectConnections(target.connections, flags.connection)) {
    for await (const dry of dryRunFeeds({ connection, feeds, scope }, target)) {
      runs.push(dry);
      if (!json) show(dry, connection.timeZone);
    }
  }
  if (json) console.log(formatDryRunJson(runs));
  if (runs.some(({ report }) => report.outcome !== 'complete')) process.exitCode = 1;
}

function show(dry: DryRunWithErrors, timeZone: string): void {
  for (const line of formatDryRun(dry, timeZone)) console.log(line);
  // It may name people, and whatever else takes our output may keep it.
  if (process.stdout.isTTY !== true) return;
  for (const text of dry.said) console.log(`  ! the source said: ${text}`);
}

function selectConnections(
  connections: readonly Connection[],
  name: string | undefined,
): readonly Connection[] {
  if (name === undefined) return connections;
  const found = connections.filter((connection) => connection.name === name);
  if (found.length > 0) return found;
  const known = connections.map((connection) => connection.name).join(', ');
  throw new NotifierError(
    'options_wrong',
    `--connection: there is no connection ${JSON.stringify(name)}; use one of ${known}`,
  );
}

function createDryRunRequiredError(): NotifierError {
  return new NotifierError(
    'options_wrong',
    'poll works only with --dry-run, which stores nothing; real polls are started by their schedules',
  );
}
