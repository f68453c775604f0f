import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';

const INSTALLED = 'bin/installed.cjs';
const SENTENCE = 'run npm ci first: it brings the packages, and the Node that runs them\n';
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<'start' | 'notifier' | 'source', string>>;
};

test('before npm ci, what npm starts from the sources says so in one sentence', () => {
  for (const name of ['notifier', 'source'] as const)
    expect(scripts[name].startsWith(`node -r ./${INSTALLED} `)).toBe(true);
  const checkout = createTemporaryFolder('checkout');
  mkdirSync(join(checkout, 'bin'));
  for (const file of [INSTALLED, 'bin/start.mjs']) cpSync(file, join(checkout, file));
  const { status, stdout, stderr } = spawnSync(scripts.start, {
    ...{ cwd: checkout, shell: true, encoding: 'utf8' },
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect([status, stdout, stderr]).toEqual([1, '', SENTENCE]);
});

test('so it does where npm ci left the Node out, and the host has an older one', () => {
  const older = join(createTemporaryFolder('older'), 'older.cjs');
  writeFileSync(
    older,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });",
  );
  const required = [older, resolve(INSTALLED)].flatMap((file) => ['-r', file]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...required, '-e', '0'], {
    encoding: 'utf8',
  });
  expect([status, stdout, stderr]).toEqual([1, '', SENTENCE]);
});

test('every Node that npm runs on can read what says it', () => {
  const source = readFileSync(INSTALLED, 'utf8');
  const [old, now] = ['node8', 'esnext'].map((target) => transformSync(source, { target }).code);
  expect(old).toBe(now);
});
