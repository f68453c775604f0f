import { join, resolve } from 'node:path';
import { openTarget } from '#cli/targets/open-target.ts';
import type { Target, TargetFlags } from '#cli/targets/target.ts';
import { FUNCTIONS_LOG } from '#local/aws/engines/data-folder.ts';
import { type RunningConsole, startConsole } from './console-server.ts';
import { createConsoleContext } from './context.ts';
import { openPollLog } from './poll-log.ts';

export interface OpenConsoleFlags extends TargetFlags {
  readonly port?: number | undefined;
  readonly allowWrites?: boolean;
}

/**
 * Serves the console of a data folder or a stack. The target is opened when the first page asks for it, but for the
 * command line, which says at once what is wrong with it. Throws a `NotifierError`.
 */
export async function openTargetConsole(
  flags: OpenConsoleFlags,
  { isLazy = false }: { readonly isLazy?: boolean } = {},
): Promise<RunningConsole> {
  const opened = isLazy ? null : await openTarget(flags);
  let target: Target | null = opened;
  const open = async () => {
    target ??= await openTarget(flags);
    const { data, allowWrites = false } = flags;
    const pollLog = data === undefined ? null : openPollLog(join(resolve(data), FUNCTIONS_LOG));
    return createConsoleContext(target, { pollLog, allowWrites });
  };
  try {
    const running = await startConsole({ open, port: flags.port });
    return {
      ...running,
      stop: async () => {
        await running.stop();
        await target?.close();
      },
    };
  } catch (error) {
    await opened?.close();
    throw error;
  }
}
