import { Command } from 'commander';
import { findRecord } from '#shared/operator/find-record.ts';
import type { TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { escapeUnprintable, print, printJson } from '#shared/terminal/output.ts';
import { formatExplanation } from '../events/explanation.ts';
import { addTargetOptions } from '../options.ts';

interface ExplainFlags extends TargetFlags {
  readonly since: string;
  readonly connection?: string;
  readonly json?: true;
}

const HELP = `
Each event is listed with the two polls between which it happened, what changed,
whether it was published and what became of its deliveries. For a pay period the
reminders before its deadline are among them. The stored values of the record
follow.

Examples:
  $ npm run notifier -- explain 101206_1
  $ npm run notifier -- explain 101206_1 --since 7d --data .data --json`;

export function explainCommand(withTarget: WithTarget): Command {
  const command = new Command('explain')
    .summary('show the history of one record')
    .description(
      'Shows the history of one timesheet or pay period: every event, when it was seen, and where it was delivered.',
    )
    .argument('<record>', 'id of a timesheet or pay period')
    .option('--since <time>', 'how far to look back: an age such as 7d, a date or an instant', '90d')
    .option('--connection <name>', 'only this connection (default: all)')
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (record: string, flags: ExplainFlags) => {
    await withTarget(flags, async (target) => {
      const found = await findRecord({ ...flags, record }, target);
      if (flags.json === true) printJson(JSON.stringify(found, null, 2));
      else if (found.length === 0)
        print(`nothing found for ${escapeUnprintable(record)}: no event in the log and no stored state`);
      else print(...found.flatMap((each) => formatExplanation(each, target)));
    });
  });
}
