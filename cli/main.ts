#!/usr/bin/env node
/** What an operator and an integration engineer ask: `npm run notifier -- --help`. */
import { Command, CommanderError } from 'commander';
import { NotifierError } from '#shared/core/errors.ts';
import { conformCommand } from './commands/conform.ts';
import { doctorCommand } from './commands/doctor.ts';
import { enableWebhookCommand } from './commands/enable-webhook.ts';
import { eventsCommand } from './commands/events.ts';
import { explainCommand } from './commands/explain.ts';
import { pollCommand } from './commands/poll.ts';
import { replayCommand } from './commands/replay.ts';
import { sendExampleCommand } from './commands/send-example.ts';
import { addPlaceOptions, openTarget } from './targets/open-target.ts';

const EXAMPLES = `
Examples:
  $ npm run notifier -- doctor
  $ npm run notifier -- events --data .data --type 'pay_period.*' --since 2h
  $ npm run notifier -- explain 101206_1
  $ npm run notifier -- replay --since 2026-11-17 --until 2026-11-18 --to webhooks/payroll-system --dry-run
  $ npm run notifier -- conform http://localhost:3000/hook --secret whsec_...

Commands work with the deployed stack, found as the AWS command line finds an account, or with --data with what
\`npm start\` remembers in a folder, while it runs or not.`;

function buildProgram(): Command {
  const command = new Command('npm run notifier --')
    .description('Asks a notifier what it did, and has it done again.')
    .addHelpText('after', EXAMPLES);
  const commands = [
    doctorCommand(),
    eventsCommand(),
    explainCommand(),
    replayCommand(),
    sendExampleCommand(),
    enableWebhookCommand(),
    conformCommand(),
    addPlaceOptions(pollCommand(openTarget)),
  ];
  for (const each of commands) command.addCommand(each);
  for (const each of [command, ...commands]) {
    each
      .exitOverride()
      .showSuggestionAfterError(true)
      .configureOutput({ writeErr: () => {} });
  }
  return command;
}

async function main(): Promise<void> {
  const command = buildProgram();
  if (process.argv.length <= 2) {
    command.outputHelp();
    return;
  }
  try {
    await command.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    console.error(describeError(error));
    process.exitCode = 1;
  }
}

function describeError(error: unknown): string {
  if (error instanceof NotifierError) return error.message;
  if (!(error instanceof CommanderError)) return error instanceof Error ? (error.stack ?? '') : String(error);
  return `${error.message.replace(/^error: /, '').replaceAll('\n', ' ')}; see --help`;
}

await main();
