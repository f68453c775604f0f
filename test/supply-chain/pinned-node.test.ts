import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';

const FOLDER = 'infra/pinned-node';
const PLATFORM = `${process.platform}-${process.arch}`;
const digests = JSON.parse(readFileSync(`${FOLDER}/digests.json`, 'utf8'));
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

/** In place of the Node that was installed, which is large. */
const BINARY = 'a program';
const OWN = digest(BINARY);
const OTHER = digest('another');

test.each([
  ['the pinned one stays', { [PLATFORM]: OWN }, 0, ''],
  [
    'one with another digest is removed before anything runs on it',
    { [PLATFORM]: OTHER },
    1,
    `${OWN}, and ${OTHER} is pinned`,
  ],
  [
    'one for whose platform nobody pinned a digest stays, which is said',
    {},
    0,
    `no digest of Node ${digests.version} is pinned for ${PLATFORM}`,
  ],
])('of the Node that was installed, %s, and what it was unpacked from goes', (_, sha256, status, says) => {
  const folder = createTemporaryFolder('pinned-node');
  const installed = join(folder, 'node_modules/node');
  for (const path of ['bin', 'node_modules/include']) mkdirSync(join(installed, path), { recursive: true });
  writeFileSync(join(installed, 'bin/node'), BINARY);
  cpSync(FOLDER, join(folder, FOLDER), { recursive: true });
  writeFileSync(join(folder, FOLDER, 'digests.json'), JSON.stringify({ ...digests, sha256 }));
  const ran = spawnSync(process.execPath, [join(folder, FOLDER, 'check.mjs')], {
    encoding: 'utf8',
    cwd: folder,
  });
  expect(ran).toMatchObject({ status, stderr: says === '' ? '' : expect.stringContaining(says) });
  expect(existsSync(join(installed, 'bin/node'))).toBe(status === 0);
  expect(existsSync(join(installed, 'node_modules'))).toBe(false);
});

test('npm compares it at the end of an installation, on the Node that npm runs on', () => {
  expect(manifest.scripts.prepare).toBe(`"$npm_node_execpath" ${FOLDER}/check.mjs`);
  // Each of these would run before, on the Node of node_modules/.bin.
  for (const earlier of ['install', 'postinstall', 'prepublish', 'preprepare'])
    expect(manifest.scripts).not.toHaveProperty(earlier);
  expect(manifest.allowScripts).toEqual({ node: true, esbuild: false });
});

test('the digests are those of the version that is installed', () => {
  expect(digests.version).toBe(manifest.devDependencies.node);
  for (const each of Object.values(digests.sha256)) expect(each).toMatch(/^[0-9a-f]{64}$/);
  expect(digests.sha256[PLATFORM]).toBe(digest(readFileSync('node_modules/node/bin/node')));
});

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
