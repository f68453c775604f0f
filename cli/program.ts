import { Command } from 'commander';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { conformCommand } from './commands/conform.ts';
import { consoleCommand, type OpenConsole } from './commands/console.ts';
import { deliveriesCommand } from './commands/deliveries.ts';
import { doctorCommand } from './commands/doctor.ts';
import { enableWebhookCommand } from './commands/enable-webhook.ts';
import { eventsCommand } from './commands/events.ts';
import { explainCommand } from './commands/explain.ts';
import { forgetCommand } from './commands/forget.ts';
import { freshnessCommand } from './commands/freshness.ts';
import { initCommand } from './commands/init.ts';
import { listenCommand } from './commands/listen.ts';
import { mcpCommand, type ServeMcp } from './commands/mcp.ts';
import { outstandingCommand } from './commands/outstanding.ts';
import { pollCommand } from './commands/poll.ts';
import { reconcileCommand } from './commands/reconcile.ts';
import { rehearseCommand } from './commands/rehearse.ts';
import { replayCommand } from './commands/replay.ts';
import { sendExampleCommand } from './commands/send-example.ts';
import { snapshotCommand } from './commands/snapshot.ts';
import { statementCommand } from './commands/statement.ts';

const HELP = `
All commands but init, conform, start and stage work on the deployed stack, with
credentials and region as for the AWS CLI, or with --data on the data folder of
\`npm start\`, whether that is running or not.

Results are on standard output, errors in one line on standard error. The exit
code is 0 when a command did what it was asked to, else 1; doctor, conform, poll and
reconcile also exit with 1 when they find something wrong.

Examples:
  $ npm run notifier -- doctor
  $ npm run notifier -- events --data .data --since 2h
  $ npm run notifier -- help replay`;

/** What the commands are given by whoever puts them together. */
export interface ProgramParts {
  readonly openTarget: (flags: TargetFlags) => Promise<Target>;
  readonly openConsole: OpenConsole;
  readonly serveMcp: ServeMcp;
  /** Further ones, listed last. */
  readonly commands: readonly Command[];
}

/** The whole command line. Its commands throw: a `NotifierError`, or commander's error for a wrong option. */
export function buildProgram({ openTarget, openConsole, serveMcp, commands: others }: ProgramParts): Command {
  const withTarget: WithTarget = async (flags, run) => {
    const target = await openTarget(flags);
    try {
      return await run(target);
    } finally {
      await target.close();
    }
  };
  const program = new Command('npm run notifier --')
    .description('Inspects and operates a notifier: a deployed stack, or the data folder of `npm start`.')
    .addHelpText('after', HELP);
  const commands = [
    initCommand(),
    doctorCommand(withTarget),
    eventsCommand(withTarget),
    explainCommand(withTarget),
    statementCommand(withTarget),
    outstandingCommand(withTarget),
    deliveriesCommand(withTarget),
    freshnessCommand(withTarget),
    consoleCommand(openTarget, openConsole),
    mcpCommand(openTarget, serveMcp),
    rehearseCommand(withTarget),
    replayCommand(withTarget),
    snapshotCommand(withTarget),
    reconcileCommand(withTarget),
    sendExampleCommand(withTarget),
    enableWebhookCommand(withTarget),
    forgetCommand(withTarget),
    listenCommand(withTarget),
    conformCommand(),
    pollCommand(withTarget),
    ...others,
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands]) {
    command
      .exitOverride()
      .showSuggestionAfterError(true)
      .configureOutput({ writeErr: () => {} });
  }
  return program;
}
