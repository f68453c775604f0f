import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../bin/notifier.ts', import.meta.url));

/** Runs a command in its own process: this one may host the engines and must not block. */
export async function execute(args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, NO_COLOR: '1' } });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, stdout, stderr, lines: stdout.trimEnd().split('\n') };
}
