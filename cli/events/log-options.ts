import { type Command, Option } from 'commander';
import { FEED_NAMES } from '#shared/core/feeds.ts';

/** The options that select events of the log. `since`: the default of `--since`. */
export function addLogOptions(command: Command, since: string): Command {
  return command
    .option(
      '--since <time>',
      "only events logged at or after this time: an age such as 2h or 3d, a date such as 2026-11-17 (midnight in the connection's time zone), or an instant such as 2026-11-17T09:30:00Z",
      since,
    )
    .option('--until <time>', 'only events logged before this time, in the same forms (default: no limit)')
    .option(
      '--type <type>',
      'only this type, such as timesheet.approved; * stands for any text: pay_period.*',
    )
    .option('--record <id>', 'only events of this timesheet or pay period')
    .option('--connection <name>', 'only this connection (default: all)')
    .addOption(new Option('--feed <feed>', 'only this feed (default: both)').choices(FEED_NAMES));
}
