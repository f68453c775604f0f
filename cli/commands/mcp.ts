import { Command } from 'commander';
import type { Target, TargetFlags } from '#shared/operator/target.ts';
import { addDataOption } from '../options.ts';

/** Answers an assistant about a target on standard input and output, until that ends. Throws a `NotifierError`. */
export type ServeMcp = (openTarget: () => Promise<Target>) => Promise<void>;

const HELP = `
An assistant that speaks the Model Context Protocol starts this command and asks
it: find_events, record_history, period, deliveries, doctor. It only reads, with
your own AWS credentials. People and departments are called by their ids, unless
\`people.names\` of the config lists them. What it answers goes to whoever runs
the assistant's model.

Its configuration names the command "npx" with the arguments "notifier" and
"mcp", and those of the examples.

Examples:
  $ npm run notifier -- mcp
  $ npm run notifier -- mcp --data .data`;

export function mcpCommand(openTarget: (flags: TargetFlags) => Promise<Target>, serve: ServeMcp): Command {
  const command = new Command('mcp')
    .summary('answer an assistant (Model Context Protocol)')
    .description(
      'Answers questions of an assistant about events, records, pay periods and deliveries. Read-only.',
    )
    .addHelpText('after', HELP);
  return addDataOption(command).action(async (flags: TargetFlags) => serve(() => openTarget(flags)));
}
