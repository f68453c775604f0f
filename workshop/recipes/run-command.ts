import { spawnSync } from 'node:child_process';

export interface CommandOptions {
  readonly cwd: string;
  /** Given to it as its standard input. */
  readonly input?: string;
}

/**
 * Runs a program to its end and returns what it printed. Says on standard error what it runs: the first time, `go`
 * compiles its standard library, and `pip` and `npm` download. Throws when it is missing, fails or has no end, with its
 * output.
 */
export function runCommand([file = '', ...args]: readonly string[], { cwd, input }: CommandOptions): string {
  const command = [file, ...args].join(' ');
  process.stderr.write(`${command}\n`);
  const { status, error, stdout, stderr } = spawnSync(file, args, {
    cwd,
    timeout: MAX_RUN_MS,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
    maxBuffer: MAX_PRINTED_BYTES,
    ...(input === undefined ? {} : { input }),
  });
  if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT') {
    throw new Error(
      `${command} had no end after ${MAX_RUN_MS / 60_000} minutes in ${cwd}; does it wait for a download?\n${stdout}${stderr}`,
    );
  }
  if (error !== undefined) throw new Error(`cannot run ${file}: ${error.message}; install it`);
  if (status !== 0) throw new Error(`${command} failed in ${cwd}\n${stdout}${stderr}`);
  return stdout;
}

const MAX_RUN_MS = 10 * 60_000;
const MAX_PRINTED_BYTES = 16 * 1024 * 1024;
