import { Command } from 'commander';
import { formatExplanation } from '../events/explanation.ts';
import { findRecord } from '../events/find-record.ts';
import { print } from '../output.ts';
import { addTargetOptions, withTarget } from '../targets/open-target.ts';
import type { TargetFlags } from '../targets/target.ts';

interface ExplainFlags extends TargetFlags {
  readonly since: string;
  readonly connection?: string;
  readonly json?: true;
}

/** `notifier explain`: everything that is known of one record, and where it went. */
export function explainCommand(): Command {
  const command = new Command('explain')
    .description('tell the life of a record: every event, when it was seen, and where it was delivered')
    .argument('<record>', 'id of a timesheet or a pay period')
    .option('--since <time>', 'how far to look back', '90d')
    .option('--connection <name>', 'of one connection; all of them when left out');
  return addTargetOptions(command).action(async (record: string, flags: ExplainFlags) => {
    await withTarget(flags, async (target) => {
      const found = await findRecord({ ...flags, record }, target);
      if (flags.json === true) print(JSON.stringify(found, null, 2));
      else if (found.length === 0) print(`nothing is known of ${record}: no event in the log, no state`);
      else print(...found.flatMap((each) => formatExplanation(each, target)));
    });
  });
}
