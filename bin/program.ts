import type { Command } from 'commander';
import { buildProgram } from '#cli/program.ts';
import { openTargetConsole } from '#console/server/open-console.ts';
import { stageCommand } from '#local/stage-command.ts';
import { openTarget } from './open-target.ts';

/** The whole command line, with its ways to a target and to the console. */
export function buildNotifierProgram(): Command {
  return buildProgram({ openTarget, openConsole: openTargetConsole, commands: [stageCommand()] });
}
