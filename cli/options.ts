import type { Command } from 'commander';

/** The option that says where a command works. */
export function addDataOption(command: Command): Command {
  return command.option('--data <folder>', 'use this data folder of `npm start` instead of the stack in AWS');
}

/** The same, and how it answers. */
export function addReadingOptions(command: Command): Command {
  return addDataOption(command).option('--json', 'print JSON');
}

/** How an instant may be given. */
export const SINCE_FORMS =
  "an age such as 2h or 3d, a date such as 2026-11-17 (midnight in the connection's time zone), or an instant such as 2026-11-17T09:30:00Z";
