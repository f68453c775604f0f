import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import { ACCOUNT, OPERATOR, REGION } from './account.ts';
import type { Journal } from './journal.ts';

/** So long without a printed word, while it asks the emulator for the same and is answered the same. */
const MAX_WAIT_MS = 120_000;
/** So long without a printed word, and without a request. It may work all the time, on a machine with much else to do. */
const MAX_SILENCE_MS = 900_000;
const WATCH_MS = 1_000;
const MAX_ERROR_CHARACTERS = 1_500;
/** Of this process's environment. Everything else that begins with AWS_ could reach a real account. */
const WITHHELD = /^(?:AWS_|CDK_)/;

export interface Commands {
  /** Runs the CDK CLI. Returns what it printed. Throws when it fails. */
  cdk(args: readonly string[]): Promise<string>;
  /** Runs a command of the operator against the stack. Returns its standard output. Throws when it fails. */
  notifier(args: readonly string[]): Promise<string>;
  /** The same, for a command that may fail. */
  tryNotifier(args: readonly string[]): Promise<Printed>;
  /** Starts a command that runs until it is stopped. Settles once it prints a line. Throws when it ends before. */
  start(args: readonly string[]): Promise<StartedCommand>;
  /** The same commands with more variables, or in the folder of another version of the project. */
  with(changes: CommandChanges): Commands;
}

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when a signal ended it. */
  readonly code: number | null;
}

interface StartedCommand {
  /** The first line that it printed. */
  readonly line: string;
  stop(): Promise<void>;
}

interface CommandChanges {
  readonly environment?: Readonly<Record<string, string>>;
  readonly project?: string;
  /** Path of the operator's command in the project; default: that of this repository. */
  readonly program?: string;
}

interface CommandContext {
  readonly environment: NodeJS.ProcessEnv;
  readonly project: string;
  readonly program: string;
  readonly logFile: string;
  readonly journal: Journal;
}

interface CommandOptions {
  /** Of the emulator. */
  readonly endpoint: string;
  /** What commands print is added to it. */
  readonly logFile: string;
  /** Of what passes there. */
  readonly journal: Journal;
}

/**
 * Commands as a person would run them, with the emulator as AWS. One that waits for what does not come is ended; how
 * long it takes otherwise depends on the machine, and is not limited.
 */
export function createCommands({ endpoint, logFile, journal }: CommandOptions): Commands {
  const inherited = Object.entries(process.env).filter(([name]) => !WITHHELD.test(name));
  const environment = {
    ...Object.fromEntries(inherited),
    AWS_ENDPOINT_URL: endpoint,
    // The template's address is of the service's form: CloudFormation takes no other.
    AWS_ENDPOINT_URL_S3_FOR_CLOUDFORMATION: `https://s3.${REGION}.amazonaws.com`,
    AWS_ACCESS_KEY_ID: OPERATOR,
    AWS_SECRET_ACCESS_KEY: OPERATOR,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DEFAULT_ACCOUNT: ACCOUNT,
    CDK_DEFAULT_REGION: REGION,
  };
  return createCommandsIn({
    environment,
    project: PROJECT_ROOT,
    program: join('bin', 'notifier.ts'),
    logFile,
    journal,
  });
}

function createCommandsIn(context: CommandContext): Commands {
  const tryNotifier = (args: readonly string[]) => runNode([context.program, ...args], context);
  return {
    cdk: async (args) => {
      const cli = join(PROJECT_ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');
      const printed = await runNode([cli, ...args], context);
      checkSucceeded(args, printed);
      return `${printed.stdout}${printed.stderr}`;
    },
    notifier: async (args) => {
      const printed = await tryNotifier(args);
      checkSucceeded(args, printed);
      return printed.stdout;
    },
    tryNotifier,
    start: (args) => startNode([context.program, ...args], context),
    with: ({ environment = {}, project = context.project, program = context.program }) =>
      createCommandsIn({
        ...context,
        project,
        program,
        environment: { ...context.environment, ...environment },
      }),
  };
}

function spawnNode(args: readonly string[], { environment, project }: CommandContext) {
  return spawn(process.execPath, args, {
    cwd: project,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function runNode(args: readonly string[], context: CommandContext): Promise<Printed> {
  const { logFile, journal } = context;
  const child = spawnNode(args, context);
  const printed = { stdout: '', stderr: '' };
  let heardAt = performance.now();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      heardAt = performance.now();
    });
  }
  const watch = setInterval(() => {
    const limitMs = journal.repeats() > 0 ? MAX_WAIT_MS : MAX_SILENCE_MS;
    if (performance.now() - Math.max(heardAt, journal.lastNewAt()) < limitMs) return;
    clearInterval(watch);
    printed.stderr += `\nended: nothing new for ${limitMs / 1_000} s; last requests:\n${journal.describe()}\n`;
    child.kill('SIGKILL');
  }, WATCH_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(watch);
  appendFileSync(logFile, `$ ${args.join(' ')}\n${printed.stdout}${printed.stderr}exit code ${code}\n\n`);
  return { ...printed, code };
}

async function startNode(args: readonly string[], context: CommandContext): Promise<StartedCommand> {
  const child = spawnNode(args, context);
  const ended = once(child, 'close');
  // Also after Ctrl-C, of which a process of its own hears nothing.
  process.once('exit', () => child.kill('SIGKILL'));
  child.stderr.setEncoding('utf8').on('data', (text: string) => appendFileSync(context.logFile, text));
  const lines = createInterface(child.stdout);
  const line = await Promise.race([
    once(lines, 'line').then(([text]) => String(text)),
    ended.then(() => null),
  ]);
  if (line === null) throw new Error(`${args.slice(0, 3).join(' ')} ended before it printed anything`);
  appendFileSync(context.logFile, `$ ${args.join(' ')}\n${line}\n\n`);
  return {
    line,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function checkSucceeded(args: readonly string[], { stdout, stderr, code }: Printed): void {
  if (code === 0) return;
  const tail = `${stdout}${stderr}`.slice(-MAX_ERROR_CHARACTERS);
  throw new Error(`${args.slice(0, 3).join(' ')} ended with exit code ${code}:\n${tail}`);
}
