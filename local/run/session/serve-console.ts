import type { RunOptions } from '../options.ts';
import type { Notes } from '../output/notes.ts';

export interface ServedConsole {
  /** With the one-time token. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Whether a run is long and readable enough for somebody to look at its console. */
function hasConsole({ mode, output, opensConsole }: RunOptions): boolean {
  if (opensConsole === true) return true;
  return output === 'text' && (mode.kind === 'schedules' || mode.kind === 'every');
}

/** Serves the console of a run and prints its address. Null when it has none; the run goes on without. */
export async function serveConsole(options: RunOptions, notes: Notes): Promise<ServedConsole | null> {
  if (!hasConsole(options)) return null;
  // Imported late: a run without a console does not need it.
  const { openTargetConsole } = await import('#console/server/open-console.ts');
  try {
    const served = await openTargetConsole({ data: options.dataFolder }, { isLazy: true });
    notes.say(`console  ${served.address}`);
    if (options.opensConsole === true) {
      const { openInBrowser } = await import('#console/server/open-in-browser.ts');
      openInBrowser(served.address);
    }
    return served;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    notes.say(`the console cannot be served (${reason}); the run goes on without it`);
    return null;
  }
}
