import type { Target } from '#shared/operator/target.ts';
import { type RunningConsole, startConsole } from './console-server.ts';
import { createConsoleContext } from './context.ts';
import { openInBrowser } from './open-in-browser.ts';
import { openPollLog } from './poll-log.ts';

export interface OpenConsoleOptions {
  /** Default: one that is the same each time, or a free one when that is taken. */
  readonly port?: number;
  /** Sends events again also in AWS. */
  readonly allowWrites?: boolean;
  /** Opens the page in the browser. */
  readonly inBrowser?: boolean;
  /** Opens the target when the first page asks for it; otherwise at once, to say what is wrong with it. */
  readonly isLazy?: boolean;
}

/** Serves the console of a target, and closes that in the end. Throws a `NotifierError`. */
export async function openTargetConsole(
  openTarget: () => Promise<Target>,
  { port, allowWrites = false, inBrowser = false, isLazy = false }: OpenConsoleOptions = {},
): Promise<RunningConsole> {
  let target: Target | null = isLazy ? null : await openTarget();
  const open = async () => {
    target ??= await openTarget();
    const { functionsLog } = target;
    const pollLog = functionsLog === undefined ? null : openPollLog(functionsLog);
    return createConsoleContext(target, { pollLog, allowWrites });
  };
  try {
    const running = await startConsole({ open, port });
    if (inBrowser) openInBrowser(running.address);
    return {
      ...running,
      stop: async () => {
        await running.stop();
        await target?.close();
      },
    };
  } catch (error) {
    await target?.close();
    throw error;
  }
}
