import { spawnSync } from 'node:child_process';

export interface CommandOptions {
  readonly cwd: string;
  /** Given to it as its standard input. */
  readonly input?: string;
}

/** Runs a program to its end and returns what it printed. Throws when it is missing or fails, with its output. */
export function runCommand([file = '', ...args]: readonly string[], { cwd, input }: CommandOptions): string {
  const { status, error, stdout, stderr } = spawnSync(file, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: MAX_PRINTED_BYTES,
    ...(input === undefined ? {} : { input }),
  });
  if (error !== undefined) throw new Error(`cannot run ${file}: ${error.message}; install it`);
  if (status !== 0) throw new Error(`${[file, ...args].join(' ')} failed in ${cwd}\n${stdout}${stderr}`);
  return stdout;
}

const MAX_PRINTED_BYTES = 16 * 1024 * 1024;
