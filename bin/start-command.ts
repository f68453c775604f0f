import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { dropAwsSettings } from '#local/aws/user-settings.ts';
import { describeRun, type RunCommandLine, type RunOptions, toRunOptions } from '#local/run/options.ts';
import type { OpenConsole } from '#local/run/session/greeting.ts';

/** `notifier start`: what `npm start` is in this repository. */
export function startCommand(): Command {
  return describeRun('start').action(async (given: RunCommandLine) =>
    process.exit(await startNotifier(await toRunOptions(given, process.env))),
  );
}

/** Runs until it is ended, or has done what it was asked to. Returns the exit code; throws a `NotifierError`. */
export async function startNotifier(options: RunOptions): Promise<number> {
  dropAwsSettings(process.env);
  saveMemory();
  // Imported late, so that a wrong option is reported at once.
  const { synthesize } = await import('#local/aws/template/synthesize.ts');
  const { run } = await import('#local/run/run.ts');
  const build = (note: (text: string) => void) => synthesize(note, { data: options.dataFolder });
  return await run({ options, environment: process.env, synthesize: build, openConsole });
}

/** Imported late: a run without a console does not need it, and one whose console nobody opens needs no target. */
const openConsole: OpenConsole = async (data) => {
  const { openTargetConsole } = await import('#console/server/open-console.ts');
  const open = async () => {
    const { openTarget } = await import('./open-target.ts');
    return await openTarget({ data });
  };
  return await openTargetConsole(open, { isLazy: true });
};

/**
 * A run is idle most of the time, and goes on for days. `npm start` sets MALLOC_ARENA_MAX besides: each thread of a function
 * would keep memory of its own that nobody needs any more, 50 MB in all.
 */
function saveMemory(): void {
  // The young generation stays as small as it begins: it would grow to 32 MB while modules are loaded.
  setFlagsFromString('--semi-space-growth-factor=1');
  // The processes of functions, too, find their modules compiled, and do not load what strips types.
  const compiled = getCompileCacheDir();
  if (compiled !== undefined) process.env.NODE_COMPILE_CACHE = dirname(compiled);
}
