import type { RunOptions } from '../options.ts';
import type { Notes } from '../output/notes.ts';

export interface ServedConsole {
  /** With the one-time token. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Opens the console of a data folder, which is opened when the first page asks for it. */
export type OpenConsole = (
  dataFolder: string,
  options: { readonly inBrowser: boolean },
) => Promise<ServedConsole>;

/** Whether a run is long and readable enough for somebody to look at its console. */
function hasConsole({ mode, output, opensConsole }: RunOptions): boolean {
  if (opensConsole === true) return true;
  return output === 'text' && (mode.kind === 'schedules' || mode.kind === 'every');
}

/** Serves the console of a run and prints its address. Null when it has none; the run goes on without. */
export async function serveConsole(
  options: RunOptions,
  notes: Notes,
  openConsole: OpenConsole,
): Promise<ServedConsole | null> {
  if (!hasConsole(options)) return null;
  try {
    const served = await openConsole(options.dataFolder, { inBrowser: options.opensConsole === true });
    notes.say(`console  ${served.address}`);
    return served;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    notes.say(`the console cannot be served (${reason}); the run goes on without it`);
    return null;
  }
}
