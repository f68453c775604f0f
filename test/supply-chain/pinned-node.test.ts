import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const FOLDER = 'infra/pinned-node';
const PLATFORM = `${process.platform}-${process.arch}`;
const digests = JSON.parse(readFileSync(`${FOLDER}/digests.json`, 'utf8'));
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

let folder: string;
let binary: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinned-node-'));
  binary = join(folder, 'node_modules/node/bin/node');
  cpSync(FOLDER, join(folder, FOLDER), { recursive: true });
  mkdirSync(join(binary, '..'), { recursive: true });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the Node that was installed here is the pinned one', () => {
  cpSync('node_modules/node/bin/node', binary);
  expect(check()).toEqual({ status: 0, stderr: '' });
  expect(existsSync(binary)).toBe(true);
});

test('what it was unpacked from goes, and it stays', () => {
  const unpacked = join(folder, 'node_modules/node/node_modules', `node-${PLATFORM}`);
  mkdirSync(join(unpacked, 'include'), { recursive: true });
  cpSync('node_modules/node/bin/node', join(unpacked, 'node'));
  linkSync(join(unpacked, 'node'), binary);
  expect(check()).toEqual({ status: 0, stderr: '' });
  expect(existsSync(join(folder, 'node_modules/node/node_modules'))).toBe(false);
  expect(spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout.trim()).toBe(`v${digests.version}`);
});

describe('the Node that was installed', () => {
  test('is removed before anything runs on it when its digest differs from the pinned one', () => {
    writeFileSync(binary, 'changed on its way');
    const digest = createHash('sha256').update('changed on its way').digest('hex');
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr).toContain(`${digest}, and ${digests.sha256[PLATFORM]} is pinned`);
    expect(existsSync(binary)).toBe(false);
  });

  test('stays, and it is said, where nobody pinned one for the platform', () => {
    writeFileSync(join(folder, FOLDER, 'digests.json'), JSON.stringify({ ...digests, sha256: {} }));
    cpSync('node_modules/node/bin/node', binary);
    const { status, stderr } = check();
    expect(status).toBe(0);
    expect(stderr).toContain(`no digest of Node ${digests.version} is pinned for ${PLATFORM}`);
    expect(existsSync(binary)).toBe(true);
  });
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
  for (const digest of Object.values(digests.sha256)) expect(digest).toMatch(/^[0-9a-f]{64}$/);
});

function check(): { readonly status: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, FOLDER, 'check.mjs')], {
    encoding: 'utf8',
    cwd: folder,
  });
  return { status, stderr };
}
