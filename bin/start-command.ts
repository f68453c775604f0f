import { Command } from 'commander';
import { readOptions } from '#local/run/options.ts';
import type { OpenConsole } from '#local/run/session/serve-console.ts';

/** `notifier start`, for who installed the package: what `npm start` is here. Its options are read by itself. */
export function startCommand(): Command {
  return new Command('start')
    .summary('run the whole notifier on this machine')
    .description('Runs the notifier on this machine, with a simulated sample company or a real source.')
    .argument('[options...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (args: string[]) => process.exit(await startNotifier(args)));
}

/** Runs until it is ended, or has done what it was asked to. Returns the exit code; throws a `NotifierError`. */
export async function startNotifier(args: readonly string[]): Promise<number> {
  const options = await readOptions(args, process.env);
  if (options === null) return 0;
  // Imported late, so that a wrong option is reported at once.
  const { synthesize } = await import('#local/aws/template/synthesize.ts');
  const { run } = await import('#local/run/run.ts');
  return await run({ options, environment: process.env, synthesize, openConsole });
}

/** Imported late: a run without a console does not need it. */
const openConsole: OpenConsole = async (data, { inBrowser }) => {
  const { openTargetConsole } = await import('#console/server/open-console.ts');
  const { openTarget } = await import('./open-target.ts');
  return await openTargetConsole(() => openTarget({ data }), { inBrowser, isLazy: true });
};
