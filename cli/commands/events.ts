import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { NotifierError } from '#shared/core/errors.ts';
import { explainUnknown, findRecord } from '#shared/operator/find-record.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { formatEventLine } from '#shared/terminal/event-line.ts';
import { escapeUnprintable, print, printJson } from '#shared/terminal/output.ts';
import { openNames } from '../load-names.ts';
import { type LoggedEvent, openLogReader } from '../log-reader.ts';
import { addReadingOptions, SINCE_FORMS } from '../options.ts';
import { formatHistory, formatReasons } from '../record-history.ts';

/** Pause between two reads of the log. */
const FOLLOW_MS = 2_000;

interface EventsFlags extends TargetFlags {
  readonly since?: string;
  readonly type?: string;
  readonly follow?: true;
}

const HELP = `
Without a record, events are listed as npm start prints them, with --json as
they were published, one per line. The log keeps them for the retentionDays of
their connection; events about webhooks are published but not kept in it.

With a record, its whole history: each event in words, with the two looks
between which it happened, and what became of its deliveries; then what is
stored of it, and why there is no event, or no newer one.

Examples:
  $ npm run notifier -- events --type 'pay_period.*' --since 2h
  $ npm run notifier -- events 101206_1
  $ npm run notifier -- events --data .data --follow`;

export function eventsCommand(withTarget: WithTarget): Command {
  const command = new Command('events')
    .summary('list events, or the history of one record')
    .description('Lists events of the event log, oldest first, or shows the history of one record.')
    .argument('[record]', 'id of a timesheet, pay period, employee or department')
    .option('--since <time>', `from this time on: ${SINCE_FORMS} (default: 24h, of a record 90d)`)
    .option(
      '--type <type>',
      'only this type, such as timesheet.approved or pay_period.*, or several with commas',
    )
    .option('--follow', 'keep listing new events until interrupted')
    .addHelpText('after', HELP);
  return addReadingOptions(command).action(async (record: string | undefined, flags: EventsFlags) => {
    if (record !== undefined) checkFlags(flags);
    await withTarget(flags, (target) =>
      record === undefined ? listEvents(flags, target) : showHistory(record, flags, target),
    );
  });
}

function checkFlags({ type, follow }: EventsFlags): void {
  if ((type ?? follow) === undefined) return;
  throw new NotifierError(
    'options_wrong',
    '--type and --follow choose among events; leave them out for the history of a record',
  );
}

async function listEvents({ since = '24h', ...flags }: EventsFlags, target: Target): Promise<void> {
  const { json, follow } = flags;
  const read = openLogReader(buildQueries({ ...flags, since }, target), target);
  const findNames = openNames(target);
  const namesConnection = target.connections.length > 1;
  const write = async ({ text, connection, timeZone }: LoggedEvent) => {
    if (json === true) return printJson(text);
    const names = await findNames(connection);
    print(formatEventLine(text, { timeZone, names, namesConnection }));
  };
  const events = await read();
  for (const event of events) await write(event);
  if (follow !== true && events.length === 0 && json !== true) print('no event in the log matches');
  while (follow === true) {
    await wait(FOLLOW_MS);
    for (const event of await read()) await write(event);
  }
}

async function showHistory(
  record: string,
  { since = '90d', json }: EventsFlags,
  target: Target,
): Promise<void> {
  const found = await findRecord({ record, since }, target);
  if (json === true) printJson(JSON.stringify(found, null, 2));
  else if (found.length === 0) await showUnknown(record, target);
  for (const each of json === true ? [] : found)
    print(...formatHistory(each, target, await openNames(target)(each.connection)));
}

async function showUnknown(record: string, target: Target): Promise<void> {
  print(`nothing is known of ${escapeUnprintable(record)}`);
  for (const [connection, why] of await explainUnknown(target))
    print('', `why ${escapeUnprintable(connection)} has no event of it:`, ...formatReasons(why));
}
