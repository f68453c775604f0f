import { setTimeout as wait } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import { selectEvents } from '#shared/core/replay/selection.ts';
import { formatEventLine } from '../events/event-line.ts';
import { buildQueries, type LogFlags, type LogQuery, openEventLog } from '../events/log-query.ts';
import { print } from '../output.ts';
import { addTargetOptions, withTarget } from '../targets/open-target.ts';
import type { Target, TargetFlags } from '../targets/target.ts';

/** How often the log is asked for more. */
const FOLLOW_MS = 2_000;

interface EventsFlags extends LogFlags, TargetFlags {
  readonly limit?: number;
  readonly follow?: true;
  readonly json?: true;
}

/** `notifier events`: what was told, out of the log. */
export function eventsCommand(): Command {
  const command = new Command('events')
    .description('list events out of the log, the oldest first')
    .option('--limit <number>', 'only the latest so many', parseCount)
    .option('--follow', 'go on with what comes, until interrupted');
  return addTargetOptions(addLogOptions(command, '24h')).action(async (flags: EventsFlags) => {
    await withTarget(flags, async (target) => {
      const queries = buildQueries(flags, target);
      const told = await listAll(queries, target, flags);
      if (flags.follow === true) await follow(queries, target, { flags, told });
      else if (told.size === 0 && flags.json !== true) print('no event in the log is like that');
    });
  });
}

/** The options by which commands say which events are meant. */
export function addLogOptions(command: Command, since: string): Command {
  return command
    .option('--since <time>', 'seen from this time on: 2h, 3d, 2026-11-17 or an instant', since)
    .option('--until <time>', 'and before this one')
    .option('--type <type>', 'such as timesheet.approved or pay_period.*')
    .option('--record <id>', 'of one record')
    .option('--connection <name>', 'of one connection; all of them when left out')
    .addOption(new Option('--feed <feed>', 'of one feed; both when left out').choices(FEED_NAMES));
}

/** Prints what is in the log now; answers the pointers of the batches that were read. */
async function listAll(
  queries: readonly LogQuery[],
  target: Target,
  { limit, json }: Pick<EventsFlags, 'limit' | 'json'>,
): Promise<Set<string>> {
  const pointers = new Set<string>();
  const lines: { readonly at: string; readonly line: string }[] = [];
  for await (const { pointer, text, query } of readAll(queries, target)) {
    pointers.add(pointer);
    lines.push({ at: pointer, line: json === true ? text : formatEventLine(text, query.connection) });
  }
  const inOrder = lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  print(...inOrder.slice(limit === undefined ? 0 : -limit).map(({ line }) => line));
  return pointers;
}

async function follow(
  queries: readonly LogQuery[],
  target: Target,
  { flags, told }: { readonly flags: EventsFlags; readonly told: Set<string> },
): Promise<never> {
  for (;;) {
    await wait(FOLLOW_MS);
    const now = target.system.now();
    const recent = queries.map((query) => ({
      ...query,
      // Twice the pause: a batch is dated before it is committed.
      from: Math.max(query.from, now - 2 * FOLLOW_MS * target.speed),
      to: now + FOLLOW_MS * target.speed,
    }));
    for await (const { pointer, text, query } of readAll(recent, target, told)) {
      print(flags.json === true ? text : formatEventLine(text, query.connection));
      told.add(pointer);
    }
  }
}

/** Wanted events, of batches that are not yet told. */
async function* readAll(queries: readonly LogQuery[], target: Target, told: ReadonlySet<string> = new Set()) {
  const log = openEventLog(target);
  for (const query of queries) {
    for (const feed of query.feeds) {
      for await (const batch of log.read({ connection: query.connection.name, feed }, query)) {
        const pointer = `${batch.pointer} ${query.connection.name} ${feed}`;
        if (told.has(pointer)) continue;
        for (const { text } of selectEvents(batch.texts, query)) yield { pointer, text, query };
      }
    }
  }
}

function parseCount(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('give a whole number, such as 20');
}
