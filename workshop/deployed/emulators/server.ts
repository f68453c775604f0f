import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import type { Engine } from '#local/aws/engines/dynamodb-engine.ts';
import { findFreePort } from '#local/aws/engines/processes.ts';

const START_TIMEOUT_MS = 300_000;
const START_PAUSE_MS = 200;

export interface ServerCommand {
  readonly command: string;
  readonly args: (port: number) => readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Path that answers once it is up. */
  readonly healthPath: string;
  readonly logFile: string;
}

/** Starts a server on a free loopback port. Throws when it does not come up within five minutes. */
export async function startServer(options: ServerCommand): Promise<Engine> {
  const port = await findFreePort();
  const log = openSync(options.logFile, 'w');
  const child = spawn(options.command, options.args(port), {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...options.environment },
  });
  // Also after Ctrl-C, of which a process of its own hears nothing.
  process.once('exit', () => child.kill('SIGKILL'));
  const endpoint = `http://127.0.0.1:${port}`;
  await waitUntilUp(`${endpoint}${options.healthPath}`, child);
  return { endpoint, stop: () => end(child) };
}

async function waitUntilUp(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const up = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS));
  }
  child.kill('SIGKILL');
  throw new Error(`the emulator did not start within ${START_TIMEOUT_MS / 1_000} s; see its log`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
