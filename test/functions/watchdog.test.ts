import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { NO_TURN } from './watched-work.ts';

/** Work in a process of its own: what hangs is ended with its process. */
const PROGRAM = fileURLToPath(new URL('./watched-work.ts', import.meta.url));

test('every function is watched', () => {
  const entries = globSync('functions/*.ts');
  const unwatched = entries.filter(
    (path) => !readFileSync(path, 'utf8').includes('export const handler = entry('),
  );

  expect(entries.length).toBeGreaterThanOrEqual(6);
  expect(unwatched).toEqual([]);
});

test('a function that keeps the event loop busy is ended from outside, and its log says which request', () => {
  const { signal, stdout } = run('hangs');

  expect(signal).toBe('SIGKILL');
  expect(JSON.parse(stdout)).toEqual(NO_TURN);
});

test.each([
  ['that waits for longer', 'waits'],
  ['after which the process stands still, as between two invocations', 'ends'],
])('work %s than the bound goes on', (_what, how) => {
  expect(run(how)).toMatchObject({ signal: null, status: 0, stdout: 'done\n' });
});

function run(how: string) {
  const { signal, status, stdout } = spawnSync(process.execPath, [PROGRAM, how], { encoding: 'utf8' });
  return { signal, status, stdout };
}
