#!/usr/bin/env node
/** The commands of operators and integration engineers: `npm run notifier -- --help`. */
import { enableCompileCache } from 'node:module';
import { CommanderError } from 'commander';
import { NotifierError } from '#shared/core/errors.ts';
import { describeUsageError } from '#shared/terminal/options.ts';
import { escapeLines } from '#shared/terminal/output.ts';

async function main(): Promise<void> {
  // What commands write holds hours and names of people: nobody else on this machine reads it.
  process.umask(0o077);
  // Imported late, so that what is compiled is kept for the next command: each starts in half the time.
  enableCompileCache();
  const { buildNotifierProgram } = await import('./program.ts');
  const program = buildNotifierProgram();
  if (process.argv.length <= 2) {
    program.outputHelp();
    return;
  }
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    console.error(escapeLines(describeError(error)));
    process.exitCode = 1;
  }
}

/** One line for an error that the user can fix; the stack for a fault of the program. */
function describeError(error: unknown): string {
  if (error instanceof NotifierError) return error.message;
  if (error instanceof CommanderError) return describeUsageError(error);
  return error instanceof Error ? (error.stack ?? '') : String(error);
}

await main();
