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
