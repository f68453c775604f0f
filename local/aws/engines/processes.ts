import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const END_TIMEOUT_MS = 5_000;
const END_CHECK_MS = 10;

/** Command line of a running process; `null` when there is no process with this id. */
export function readCommand(pid: number): string | null {
  if (process.platform === 'linux') return readCommandOnLinux(pid);
  const listed = spawnSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' });
  const command = listed.stdout?.trim() ?? '';
  return command === '' ? null : command;
}

function readCommandOnLinux(pid: number): string | null {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    // A zombie has an empty command line.
    return command === '' ? null : command;
  } catch {
    // No such process.
    return null;
  }
}

/**
 * Kills a process and waits until it is gone, but only if its command line contains `mark`: a process id from an earlier
 * run may belong to another program by now. Returns whether it was killed.
 */
export async function endProcess(pid: number, mark: string): Promise<boolean> {
  if (!(readCommand(pid)?.includes(mark) ?? false)) return false;
  process.kill(pid, 'SIGKILL');
  const deadline = performance.now() + END_TIMEOUT_MS;
  while (readCommand(pid) !== null && performance.now() < deadline) await delay(END_CHECK_MS);
  return true;
}

/**
 * An address of this machine for an engine behind a door. Linux has 16 million, too many for a web page to ask; elsewhere
 * there is one.
 */
export function chooseLoopbackHost(): string {
  if (process.platform !== 'linux') return '127.0.0.1';
  return ['127', randomInt(1, 256), randomInt(256), randomInt(1, 255)].join('.');
}

/** A port of a loopback address that was free a moment ago. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, host, resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string')
    throw new Error('there is no free port on the loopback interface');
  return address.port;
}
