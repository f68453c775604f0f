import { Command } from 'commander';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import type { OpenConsole } from './commands/console.ts';
import type { ServeMcp } from './commands/mcp.ts';

const DESCRIPTION = `All but init and start work on the deployed stack, or with --data on a folder of
npm start. COMMAND --help lists the options of one.`;

/** What the commands are given by whoever puts them together. */
export interface ProgramParts {
  readonly openTarget: (flags: TargetFlags) => Promise<Target>;
  readonly openConsole: OpenConsole;
  readonly serveMcp: ServeMcp;
  readonly loadStart: LoadCommand;
}

/** A command is loaded when it is asked for: all of them take longer to load than most to run. */
type LoadCommand = () => Promise<Command>;

/**
 * The command line with the command of this name, or with all commands when there is none. They throw: a `NotifierError`,
 * or commander's error for a wrong option.
 */
export async function buildProgram(parts: ProgramParts, name?: string): Promise<Command> {
  const program = new Command('npm run notifier --')
    .usage('COMMAND')
    .description(DESCRIPTION)
    .helpCommand(false)
    .configureHelp({ subcommandTerm, visibleOptions: () => [] });
  const all = Object.entries(listCommands(parts)).flatMap(([group, loads]) =>
    Object.entries(loads).map(([own, load]) => ({ own, load: async () => (await load()).helpGroup(group) })),
  );
  const named = all.filter(({ own }) => own === name);
  const commands = await Promise.all((named.length === 0 ? all : named).map(({ load }) => load()));
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

/** Commands by their names, below the headings of the help. */
function listCommands({
  openTarget,
  openConsole,
  serveMcp,
  loadStart,
}: ProgramParts): Readonly<Record<string, Readonly<Record<string, LoadCommand>>>> {
  const withTarget: WithTarget = async (flags, run) => {
    const target = await openTarget(flags);
    try {
      return await run(target);
    } finally {
      await target.close();
    }
  };
  return {
    'Look:': {
      doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(withTarget),
      events: async () => (await import('./commands/events.ts')).eventsCommand(withTarget),
      period: async () => (await import('./commands/period.ts')).periodCommand(withTarget),
      deliveries: async () => (await import('./commands/deliveries.ts')).deliveriesCommand(withTarget),
      console: async () => (await import('./commands/console.ts')).consoleCommand(openTarget, openConsole),
      mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(openTarget, serveMcp),
    },
    'Send:': {
      send: async () => (await import('./commands/send.ts')).sendCommand(withTarget),
    },
    'Set up:': {
      init: async () => (await import('./commands/init.ts')).initCommand(),
      forget: async () => (await import('./commands/forget.ts')).forgetCommand(withTarget),
    },
    'Try:': {
      start: loadStart,
      test: async () => (await import('./commands/test.ts')).testCommand(withTarget),
    },
  };
}
