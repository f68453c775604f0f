import { type Command, CommanderError } from 'commander';
import { buildProgram, type ProgramParts } from '#cli/program.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { describeUsageError } from '#shared/terminal/options.ts';
import { escapeLines } from '#shared/terminal/output.ts';
import { useProxies } from './proxies.ts';

/**
 * The command line with the command of this name, or with all: its ways to a target, the console and an assistant. What
 * one command needs, it loads.
 */
export async function buildNotifierProgram(name?: string): Promise<Command> {
  const parts: ProgramParts = {
    openTarget: async (flags) => {
      const { openTarget } = await import('./open-target.ts');
      return await openTarget(flags);
    },
    openConsole: async (open, options) => {
      const { openTargetConsole } = await import('#console/server/open-console.ts');
      return await openTargetConsole(open, options);
    },
    serveMcp: async (open) => {
      const { serveMcp } = await import('#console/server/mcp/mcp-server.ts');
      await serveMcp(open);
    },
    loadStart: async () => (await import('./start-command.ts')).startCommand(),
  };
  return await buildProgram(parts, name);
}

/** Runs the command of these words; without any, prints its help. An error becomes a line and the exit code 1. */
export async function runNotifier(words: readonly string[]): Promise<void> {
  const program = await buildNotifierProgram(words[0]);
  if (words.length === 0) {
    program.outputHelp();
    return;
  }
  try {
    useProxies();
    await program.parseAsync(words, { from: 'user' });
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
