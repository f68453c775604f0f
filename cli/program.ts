import { Command } from 'commander';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import type { OpenConsole } from './commands/console.ts';
import type { ServeMcp } from './commands/mcp.ts';

const HELP = `
All but init and start work on the deployed stack, or with --data on a folder of
npm start. The exit code is 1 after an error, and where something wrong is found.`;

/** What the commands are given by whoever puts them together. */
export interface ProgramParts {
  readonly openTarget: (flags: TargetFlags) => Promise<Target>;
  readonly openConsole: OpenConsole;
  readonly serveMcp: ServeMcp;
  /** Further ones, listed last. */
  readonly commands: Commands;
}

/** Commands by their names. Each is loaded when it is asked for: all of them take longer to load than most to run. */
type Commands = Readonly<Record<string, () => Promise<Command>>>;

/**
 * The command line with the command of this name, or with all commands when there is none. They throw: a `NotifierError`,
 * or commander's error for a wrong option.
 */
export async function buildProgram(parts: ProgramParts, name?: string): Promise<Command> {
  const program = new Command('npm run notifier --')

    .description('Inspects and operates a notifier, deployed or of `npm start`.')
    .helpCommand(false)
    .configureHelp({ subcommandTerm })
    .addHelpText('after', HELP);
  const known = { ...listCommands(parts), ...parts.commands };
  const named = name === undefined || !Object.hasOwn(known, name) ? undefined : known[name];
  const commands = await Promise.all(
    (named === undefined ? Object.values(known) : [named]).map((load) => load()),
  );
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands]) {
    command
      .exitOverride()
      .showSuggestionAfterError(true)
      .configureOutput({ writeErr: () => {} });
  }
  return program;
}

/** Without `[options]`, so that each command is one line. */
function subcommandTerm(command: Command): string {
  return [command.name(), ...command.registeredArguments.map((argument) => `[${argument.name()}]`)].join(' ');
}

function listCommands({ openTarget, openConsole, serveMcp }: ProgramParts): Commands {
  const withTarget: WithTarget = async (flags, run) => {
    const target = await openTarget(flags);
    try {
      return await run(target);
    } finally {
      await target.close();
    }
  };
  return {
    init: async () => (await import('./commands/init.ts')).initCommand(),
    doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(withTarget),
    events: async () => (await import('./commands/events.ts')).eventsCommand(withTarget),
    period: async () => (await import('./commands/period.ts')).periodCommand(withTarget),
    deliveries: async () => (await import('./commands/deliveries.ts')).deliveriesCommand(withTarget),
    console: async () => (await import('./commands/console.ts')).consoleCommand(openTarget, openConsole),
    mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(openTarget, serveMcp),
    send: async () => (await import('./commands/send.ts')).sendCommand(withTarget),
    forget: async () => (await import('./commands/forget.ts')).forgetCommand(withTarget),
    test: async () => (await import('./commands/test.ts')).testCommand(withTarget),
  };
}
