import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';
import { PROGRAM_ROOT } from '#infra/project-root.ts';

/** A module of this project, as code and declarations name it. */
const MODULE = /(?<=['"])(?<path>(?:#|\.\.?\/)[^'"]+)\.ts(?=['"])/g;

interface RootPackage {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** The package file of this repository, which pins every version. */
export const ROOT_PACKAGE: RootPackage = JSON.parse(readFileSync(join(PROGRAM_ROOT, 'package.json'), 'utf8'));

/** The version of a package that this repository uses. */
export function findVersion(name: string): string {
  const version = ROOT_PACKAGE.dependencies[name] ?? ROOT_PACKAGE.devDependencies[name];
  if (version === undefined) throw new Error(`${name} is imported, and package.json names no version of it`);
  return version;
}

export function emptyFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/** Copies a file or a folder of this repository to the same path of a package, or to another one. */
export function copyInto(folder: string, path: string, to = path): void {
  cpSync(join(PROGRAM_ROOT, path), join(folder, to), { recursive: true });
}

/** Compiles what a `tsconfig` of this folder names, with declarations. Throws when there are errors. */
export function compileInto(folder: string, project: string): void {
  const compiler = join(PROGRAM_ROOT, 'node_modules/typescript/bin/tsc');
  const file = join(PROGRAM_ROOT, 'workshop/packages', project);
  execFileSync(process.execPath, [compiler, '--project', file, '--outDir', folder], { stdio: 'inherit' });
  rewriteModules(folder);
}

/** Makes JavaScript of every module of the given rooms, without declarations. */
export function transpileInto(folder: string, rooms: readonly string[]): void {
  const sources = rooms.flatMap((room) => listFiles(join(PROGRAM_ROOT, room)));
  buildSync({
    absWorkingDir: PROGRAM_ROOT,
    entryPoints: sources.filter((path) => path.endsWith('.ts')),
    outbase: PROGRAM_ROOT,
    outdir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'warning',
  });
  rewriteModules(folder);
}

export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Lets modules be found by their path, also those that are started: `new URL('./door.ts', import.meta.url)`. */
function rewriteModules(folder: string): void {
  for (const file of listFiles(folder)) {
    const text = readFileSync(file, 'utf8');
    const rewritten = text.replace(MODULE, (_, path: string) => {
      if (!path.startsWith('#')) return `${path}.js`;
      const to = relative(dirname(file), join(folder, path.slice(1)));
      return `${to.startsWith('.') ? to : `./${to}`}.js`;
    });
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
}

/** Writes `package.json` with what every package has in common. */
export function writePackageFile(folder: string, members: Readonly<Record<string, unknown>>): void {
  const { version, license } = ROOT_PACKAGE;
  const packageFile = { version, license, type: 'module', ...members };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageFile, null, 2)}\n`);
}
