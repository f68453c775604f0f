import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROJECT_ROOT } from '#infra/project-root.ts';

const REQUIREMENTS = fileURLToPath(new URL('./requirements.txt', import.meta.url));
const INSTALL_TIMEOUT_MS = 300_000;
const START_TIMEOUT_MS = 60_000;
const START_PAUSE_MS = 200;

/** A running moto: an AWS account in the memory of one process. */
export interface Emulator {
  readonly endpoint: string;
  /** `moto 5.2.5`. */
  readonly version: string;
  stop(): Promise<void>;
}

/** Installs moto if it is not there yet, and starts it on a free loopback port. Throws when it cannot be had. */
export async function startEmulator(logFile: string): Promise<Emulator> {
  const bin = installMoto();
  const port = await findFreePort();
  const log = openSync(logFile, 'w');
  const child = spawn(join(bin, 'moto_server'), ['-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', log, log],
    env: { ...process.env, PYTHONUNBUFFERED: '1', PYTHONWARNINGS: 'ignore' },
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await waitUntilUp(endpoint, child);
  const version = /^moto==(.+)$/m.exec(readFileSync(REQUIREMENTS, 'utf8'))?.[1] ?? '';
  return { endpoint, version: `moto ${version}`, stop: () => end(child) };
}

/** Returns the folder of its commands. The environment is kept in `.cache` until the requirements change. */
function installMoto(): string {
  const hash = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const folder = join(PROJECT_ROOT, '.cache', `moto-${hash}`);
  const complete = join(folder, 'installed');
  const bin = join(folder, 'bin');
  if (existsSync(complete)) return bin;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  runInstaller('python3', ['-m', 'venv', folder]);
  runInstaller(join(bin, 'pip'), [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--requirement',
    REQUIREMENTS,
  ]);
  writeFileSync(complete, '');
  return bin;
}

function runInstaller(command: string, args: readonly string[]): void {
  try {
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: INSTALL_TIMEOUT_MS });
  } catch (cause) {
    const { stderr = '' } = cause as { stderr?: Buffer | string };
    throw new Error(
      `cannot install the emulator: ${command} ${args.join(' ')} failed; it needs python3 with venv, and the Python package index.\n${stderr}`,
      { cause },
    );
  }
}

async function waitUntilUp(endpoint: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const up = await fetch(`${endpoint}/moto-api/data.json`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS));
  }
  child.kill('SIGKILL');
  throw new Error(`the emulator did not start within ${START_TIMEOUT_MS / 1_000} s; see its log`);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
