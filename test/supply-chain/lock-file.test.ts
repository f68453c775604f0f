import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';

/**
 * Packages of platforms that the registry did not serve when the lock file was written, so that it holds no digest of
 * them. Each is an optional part of a tool, and none is installed on Linux with x64 and glibc. To complete
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
  // What another platform needs to run on one machine; a registry at hand that serves them completes their digests.
  '@dynoxide/': ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'win32-x64'],
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

const packageSchema = z.looseObject({
  integrity: z.string().optional(),
  engines: z.unknown().optional(),
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
    platforms.map((platform) => `node_modules/${name}${name.endsWith('/') ? '' : '-'}${platform}`),
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

// npm warns of each that the Node of the host is too old for, and none of them runs on it.
test('no package that is always installed asks for a Node; `npm run lock` takes that out', () => {
  const asking = INSTALLED.filter(([, { engines, optional }]) => engines !== undefined && !optional);
  expect(asking.map(([path]) => path)).toEqual([]);
});
