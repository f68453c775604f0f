import type { Command } from 'commander';

/** The options that say where a command works. */
export function addPlaceOptions(command: Command): Command {
  return command
    .option('--data <folder>', 'use this data folder of `npm start` instead of AWS')
    .option('--stack <name>', 'use this stack in AWS (default: stackName of the config)');
}

/** The same, and how it answers. */
export function addTargetOptions(command: Command): Command {
  return addPlaceOptions(command).option('--json', 'print JSON');
}

/** How an instant may be given. */
export const SINCE_FORMS =
  "an age such as 2h or 3d, a date such as 2026-11-17 (midnight in the connection's time zone), or an instant such as 2026-11-17T09:30:00Z";

/** The options that select events of the log. `since`: the default of `--since`. */
export function addLogOptions(command: Command, since: string): Command {
  return command
    .option('--since <time>', `only events logged at or after this time: ${SINCE_FORMS}`, since)
    .option('--until <time>', 'only events logged before this time, in the same forms (default: no limit)')
    .option(
      '--type <type>',
      'only this type, such as timesheet.approved; * stands for any text: pay_period.*; commas between several',
    )
    .option('--record <id>', 'only events of this timesheet or pay period')
    .option('--connection <name>', 'only this connection (default: all)');
}
