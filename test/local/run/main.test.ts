import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import { writeAwsSettings } from '#test/support/aws-settings.ts';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';

const MAIN = fileURLToPath(new URL('../../../bin/start.ts', import.meta.url));

test.each([[['--nonsense']], [['--base-url', 'http://127.0.0.1:1']]])(
  '%j ends with 1 and one line on stderr',
  (args) => {
    const { status, stdout, stderr } = start(args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toMatch(/\n\s+at |Error:/);
  },
);

test('a second run on the same folder names the process that uses it', async () => {
  const path = createTemporaryFolder('data');
  const folder = await openDataFolder(path);
  const { status, stdout, stderr } = start(['--data', path, '--once']);
  folder.release();
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    `data folder ${path} is in use by another run (process ${process.pid}); stop that run or name another folder with --data\n`,
  );
});

test('a run takes nothing of what the user sets for AWS', () => {
  const path = createTemporaryFolder('data');
  const window = ['--window-back', '1', '--window-forward', '1'];
  const options = ['--data', path, '--once', '--output', 'ndjson', ...window];
  const { status, stdout, stderr } = start(options, writeAwsSettings());
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  expect(stdout).toContain('workforce.baseline.completed');
});

test('help goes to stdout, with exit code 0', () => {
  const { status, stdout, stderr } = start(['--help']);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('--window-back <days>');
});

function start(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const { WORKFORCE_API_TOKEN: _, ...environment } = process.env;
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env: { ...environment, ...more } });
}
