import { once } from 'node:events';
import { Command } from 'commander';
import type { Target, TargetFlags } from '#shared/operator/target.ts';
import { print } from '#shared/terminal/output.ts';
import { addDataOption } from '../options.ts';

interface ConsoleFlags extends TargetFlags {
  readonly allowWrites?: true;
}

/** Serves the console of a target on this machine. Throws a `NotifierError`. */
export type OpenConsole = (
  openTarget: () => Promise<Target>,
  options: { readonly allowWrites?: boolean },
) => Promise<{ readonly address: string; stop(): Promise<void> }>;

const HELP = `
The console listens on this machine alone. The address opens it once, within ten
minutes, in one browser, for a day; every start prints a new one. It reads with
your own AWS credentials and needs no more than the other commands. Nothing is
deployed.

On a data folder, what failed can be sent again from its pages. In AWS they show
the command instead, unless --allow-writes is given.

Examples:
  $ npm run notifier -- console
  $ npm run notifier -- console --data .data`;

export function consoleCommand(
  openTarget: (flags: TargetFlags) => Promise<Target>,
  openConsole: OpenConsole,
): Command {
  const command = new Command('console')
    .summary('show what happened, and deliveries, in the browser')
    .description(
      'Serves pages on this machine: what happens, the history of each record, pay periods, deliveries and health.',
    );
  return addDataOption(command)
    .option('--allow-writes', 'also in AWS, let the page send events to a webhook again')
    .addHelpText('after', HELP)
    .action(async (flags: ConsoleFlags) => {
      const running = await openConsole(() => openTarget(flags), flags);
      print(`console  ${running.address}`, 'Ctrl-C to stop');
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), once(process, 'SIGHUP')]);
      await running.stop();
    });
}
