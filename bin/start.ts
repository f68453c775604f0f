#!/usr/bin/env node
/** Runs the whole notifier on one machine: `npm start -- --help`. */
import { enableCompileCache } from 'node:module';
import { readOptions } from '#local/run/options.ts';
import type { OpenConsole } from '#local/run/session/serve-console.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { escapeLines } from '#shared/terminal/output.ts';

async function main(): Promise<number> {
  // Tables, logs and messages hold hours and names of people: nobody else on this machine reads them.
  process.umask(0o077);
  const options = await readOptions(process.argv.slice(2), process.env);
  if (options === null) return 0;
  // What is compiled is kept for the next run.
  enableCompileCache();
  // Imported late, so that a wrong option is reported at once.
  const { synthesize } = await import('#local/aws/template/synthesize.ts');
  const { run } = await import('#local/run/run.ts');
  return run({ options, environment: process.env, synthesize, openConsole });
}

/** Imported late: a run without a console does not need it. */
const openConsole: OpenConsole = async (data, { inBrowser }) => {
  const { openTargetConsole } = await import('#console/server/open-console.ts');
  const { openTarget } = await import('./open-target.ts');
  return await openTargetConsole(() => openTarget({ data }), { inBrowser, isLazy: true });
};

function fail(error: unknown): number {
  if (error instanceof NotifierError) console.error(escapeLines(error.message));
  else console.error('unexpected error:', error);
  return 1;
}

process.exit(await main().catch(fail));
