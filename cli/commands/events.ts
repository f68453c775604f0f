import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { buildQueries, type LogFlags, type LogQuery, openEventLog } from '#shared/operator/log-query.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { formatEventLine } from '#shared/terminal/event-line.ts';
import { parseCount } from '#shared/terminal/options.ts';
import { print, printJson } from '#shared/terminal/output.ts';
import { selectEvents } from '#shared/webhooks/selection.ts';
import { addLogOptions, addTargetOptions } from '../options.ts';

/** Pause between two reads of the log. */
const FOLLOW_MS = 2_000;

interface EventsFlags extends LogFlags, TargetFlags {
  readonly limit?: number;
  readonly follow?: true;
}

const HELP = `
Events are listed as npm start prints them, with --json as they were published,
one per line. The log keeps the events of a connection for its retentionDays;
events about webhooks are published but not kept in it.

Examples:
  $ npm run notifier -- events --type 'pay_period.*' --since 2h
  $ npm run notifier -- events --record 101206_1 --since 30d --json
  $ npm run notifier -- events --data .data --follow`;

export function eventsCommand(withTarget: WithTarget): Command {
  const command = new Command('events')
    .summary('list events of the event log')
    .description('Lists events of the event log, oldest first.')
    .option('--limit <number>', 'only the latest events, at most this many', parseCount)
    .option('--follow', 'keep listing new events until interrupted')
    .addHelpText('after', HELP);
  return addTargetOptions(addLogOptions(command, '24h')).action(async (flags: EventsFlags) => {
    await withTarget(flags, async (target) => {
      const queries = buildQueries(flags, target);
      const listed = await listAll(queries, target, flags);
      if (flags.follow === true) await follow(queries, target, { flags, listed });
      else if (listed.size === 0 && flags.json !== true) print('no event in the log matches');
    });
  });
}

/** Prints the matching events. Returns the pointers of the batches read. */
async function listAll(
  queries: readonly LogQuery[],
  target: Target,
  { limit, json }: Pick<EventsFlags, 'limit' | 'json'>,
): Promise<Set<string>> {
  const pointers = new Set<string>();
  const lines: { readonly at: string; readonly line: string }[] = [];
  for await (const { pointer, text, query } of readAll(queries, target)) {
    pointers.add(pointer);
    lines.push({
      at: pointer,
      line: json === true ? text : formatEventLine(text, query.connection.timeZone),
    });
  }
  const inOrder = lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const write = json === true ? printJson : print;
  for (const { line } of inOrder.slice(limit === undefined ? 0 : -limit)) write(line);
  return pointers;
}

async function follow(
  queries: readonly LogQuery[],
  target: Target,
  { flags, listed }: { readonly flags: EventsFlags; readonly listed: Set<string> },
): Promise<never> {
  for (;;) {
    await wait(FOLLOW_MS);
    const now = target.system.now();
    const recent = queries.map((query) => ({
      ...query,
      // Overlap by one pause: a batch carries a time from before its commit.
      from: Math.max(query.from, now - 2 * FOLLOW_MS * target.speed),
      to: now + FOLLOW_MS * target.speed,
    }));
    for await (const { pointer, text, query } of readAll(recent, target, listed)) {
      if (flags.json === true) printJson(text);
      else print(formatEventLine(text, query.connection.timeZone));
      listed.add(pointer);
    }
  }
}

/** Matching events of the batches that were not listed yet. */
async function* readAll(
  queries: readonly LogQuery[],
  target: Target,
  listed: ReadonlySet<string> = new Set(),
) {
  const log = openEventLog(target);
  for (const query of queries) {
    for (const feed of query.feeds) {
      for await (const batch of log.read({ connection: query.connection.name, feed }, query)) {
        const pointer = `${batch.pointer} ${query.connection.name} ${feed}`;
        if (listed.has(pointer)) continue;
        for (const { text } of selectEvents(batch.texts, query)) yield { pointer, text, query };
      }
    }
  }
}
