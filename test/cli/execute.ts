import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { format } from 'node:util';
import { vi } from 'vitest';
import { runNotifier } from '#bin/program.ts';

const MAIN = fileURLToPath(new URL('../../bin/notifier.ts', import.meta.url));

/** What a command printed, and its exit code. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly lines: readonly string[];
}

/** Where a command runs; default: the folder of the tests, and no variables but those that every process has. */
interface Place {
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a command in its own process, as a user does. */
export async function execute(
  args: readonly string[],
  { folder, environment }: Place = {},
): Promise<Printed> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, NO_COLOR: '1', ...environment },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, stdout, stderr, lines: stdout.trimEnd().split('\n') };
}

let last: Promise<unknown> = Promise.resolve();

/** Runs a command in this process, which takes no second to start: one after another, as they share its output. */
export function executeHere(args: readonly string[], place: Place = {}): Promise<Printed> {
  const printed = last.then(() => capture(args, place));
  last = printed.catch(() => {});
  return printed;
}

async function capture(args: readonly string[], { folder, environment = {} }: Place): Promise<Printed> {
  let [stdout, stderr] = ['', ''];
  const before = { folder: process.cwd(), environment: { ...process.env } };
  if (folder !== undefined) process.chdir(folder);
  Object.assign(process.env, environment);
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((...values) => {
      stdout += `${format(...values)}\n`;
    }),
    vi.spyOn(console, 'error').mockImplementation((...values) => {
      stderr += `${format(...values)}\n`;
    }),
  ];
  try {
    await runNotifier(args);
    const code = Number(process.exitCode ?? 0);
    return { code, stdout, stderr, lines: stdout.trimEnd().split('\n') };
  } finally {
    process.exitCode = undefined;
    process.chdir(before.folder);
    for (const name of Object.keys(environment)) setVariable(name, before.environment[name]);
    for (const spy of spies) spy.mockRestore();
  }
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
