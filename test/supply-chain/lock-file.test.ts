import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import * as z from 'zod';

/**
 * Packages of platforms that the registry did not serve when the lock file was written, so that it holds no digest of
 * them. Each is an optional part of a development tool, and none is installed on Linux with x64 and glibc. To complete
 * the lock file with a registry that serves them: remove their entries, run `npm install --package-lock-only`, and
 * remove them here.
 */
const NOT_SERVED: Readonly<Record<string, readonly string[]>> = {
  '@biomejs/cli': [
    'android-arm64',
    'android-x64',
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64-musl',
    'linux-x64-musl',
    'win32-arm64',
    'win32-x64',
  ],
  '@oxc-parser/binding': [
    'android-arm-eabi',
    'android-arm64',
    'darwin-arm64',
    'darwin-x64',
    'freebsd-x64',
    'linux-arm-gnueabihf',
    'linux-arm-musleabihf',
    'linux-ppc64-gnu',
    'linux-riscv64-gnu',
    'linux-riscv64-musl',
    'linux-s390x-gnu',
    'openharmony-arm64',
    'win32-arm64-msvc',
    'win32-ia32-msvc',
    'win32-x64-msvc',
  ],
};

/**
 * SHA-256 of the Node.js 24.21.0 that the package `node` installs. It fetches the binary of the platform in an install
 * script, as a package that is in no lock file. Written down from a first installation.
 */
const NODE_DIGESTS: Readonly<Record<string, string>> = {
  'linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
};

const packageSchema = z.looseObject({
  integrity: z.string().optional(),
  /** Part of the archive of the package that it is in, which has a digest. */
  inBundle: z.boolean().default(false),
  /** A workspace of this repository. */
  link: z.boolean().default(false),
  optional: z.boolean().default(false),
});
const lockFile = z
  .object({ packages: z.record(z.string(), packageSchema) })
  .parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
const INSTALLED = Object.entries(lockFile.packages).filter(
  ([path, { inBundle, link }]) => path.includes('node_modules/') && !inBundle && !link,
);

test('every package has a digest of its archive, but those that were not served', () => {
  const without = INSTALLED.filter(([, { integrity }]) => integrity === undefined);
  const known = Object.entries(NOT_SERVED).flatMap(([name, platforms]) =>
    platforms.map((platform) => `node_modules/${name}-${platform}`),
  );
  expect(without.map(([path]) => path).sort()).toEqual(known.sort());
  expect(without.every(([, { optional }]) => optional)).toBe(true);
  expect(INSTALLED.length).toBeGreaterThan(250);
});

test('every digest is a SHA-512', () => {
  const digests = INSTALLED.flatMap(([, { integrity }]) => (integrity === undefined ? [] : [integrity]));
  expect(digests.filter((digest) => !/^sha512-[\w+/]{86}==$/.test(digest))).toEqual([]);
});

test('a package that is part of the archive of another is below one that has a digest', () => {
  const bundled = Object.entries(lockFile.packages).filter(([, { inBundle }]) => inBundle);
  const owners = bundled.map(([path]) => path.slice(0, path.lastIndexOf('/node_modules/')));
  expect(owners.filter((owner) => lockFile.packages[owner]?.integrity === undefined)).toEqual([]);
  expect(bundled.length).toBeGreaterThan(0);
});

test('the Node.js that runs every script is the one that was pinned', () => {
  const platform = `${process.platform}-${process.arch}`;
  const binary = createRequire(import.meta.url).resolve('node/bin/node');
  const digest = createHash('sha256').update(readFileSync(binary)).digest('hex');
  expect({ [platform]: digest }).toEqual({ [platform]: NODE_DIGESTS[platform] });
});

test('subscribers install the packages that the kit imports, and none of a platform', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(manifest).not.toHaveProperty('optionalDependencies');
  expect(manifest).not.toHaveProperty('peerDependencies');
  expect(Object.keys(manifest.dependencies)).toEqual(['standardwebhooks', 'zod']);
});
