#!/usr/bin/env node
import { synthesize } from '#local/aws/template/synthesize.ts';
import { NotifierError } from '#shared/core/errors.ts';
/** Lets the alarms sound on one machine: `npm run drill -- --help`. */
import { escapeLines } from '#shared/terminal/output.ts';
import { runDrill } from './drill.ts';
import { HELP, readDrillOptions } from './drill-options.ts';

async function main(): Promise<number> {
  // Tables, logs and messages hold hours and names of people: nobody else on this machine reads them.
  process.umask(0o077);
  const options = await readDrillOptions(process.argv.slice(2));
  if (options !== null) return runDrill({ ...options, environment: process.env, synthesize });
  console.log(HELP);
  return 0;
}

function fail(error: unknown): number {
  if (error instanceof NotifierError) console.error(escapeLines(error.message));
  else console.error('unexpected error:', error);
  return 1;
}

process.exit(await main().catch(fail));
