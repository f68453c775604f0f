import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly unpackedSize: number;
}

/** A folder of somebody else, in which a package is installed from its archive, with what it depends on. */
export interface ForeignProject {
  readonly folder: string;
  /** Paths in the archive. */
  readonly packed: readonly string[];
  readonly unpackedBytes: number;
  /** The package file of the installed package. */
  readonly packageFile: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Where the packages were built, each in a folder of its name. */
  readonly built: string;
  read(path: string): string;
  /** Writes a script and runs it. Returns its standard output; throws with all its output when it fails. */
  runScript(name: string, code: string): string;
  run(command: string, args: readonly string[]): string;
  remove(): void;
}

/** Builds a package, packs it, and installs it where nothing of this repository is. */
export function installPackage(name: string): ForeignProject {
  const folder = mkdtempSync(join(tmpdir(), 'notifier-project-'));
  const built = build(name);
  const { filename, files, unpackedSize } = pack(join(built, name), built);
  installArchive(name, join(built, filename), folder);
  const read = (path: string) => readFileSync(join(folder, 'node_modules', name, path), 'utf8');
  const packageFile = JSON.parse(read('package.json'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const run = (command: string, args: readonly string[]) => runIn(folder, command, args);
  return {
    folder,
    packed: files.map(({ path }) => path),
    unpackedBytes: unpackedSize,
    packageFile,
    built,
    read,
    run,
    runScript: (file, code) => {
      writeFileSync(join(folder, file), code);
      return run(process.execPath, [file]);
    },
    remove: () => {
      for (const each of [folder, built]) rmSync(each, { recursive: true, force: true });
    },
  };
}

/** Installs a package from its archive, in the place of the version that was there. */
export function installArchive(name: string, archive: string, folder: string): void {
  const installed = join(folder, 'node_modules', name);
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  runIn('.', 'tar', ['-xzf', archive, '--strip-components=1', '-C', installed]);
  const packageFile = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const members of ['dependencies', 'optionalDependencies', 'peerDependencies'])
    for (const each of Object.keys(packageFile[members] ?? {})) link(each, folder);
}

/** Builds a package, from this repository or a copy of it. Returns the folder that has its folder. */
export function build(
  name: string,
  { repository = '.', into = makeBuiltFolder() }: BuildOptions = {},
): string {
  mkdirSync(into, { recursive: true });
  runIn(repository, process.execPath, ['workshop/packages/main.ts', into, name]);
  return into;
}

interface BuildOptions {
  readonly repository?: string | undefined;
  readonly into?: string;
}

function makeBuiltFolder(): string {
  return mkdtempSync(join(tmpdir(), 'notifier-built-'));
}

/** Packs a built package as npm publishes it. */
export function pack(folder: string, into: string): Packed {
  const [packed] = JSON.parse(runIn(into, 'npm', ['pack', folder, '--json'])) as [Packed];
  return packed;
}

/** Packages that a module imports, without those of Node. */
export function listImports(text: string): string[] {
  return [...text.matchAll(/^(?:import|export)\b[^;]*? from ['"](?<from>[^.'"][^'"]*)['"]/gm)]
    .map(({ groups }) => groups?.from ?? '')
    .filter((from) => !from.startsWith('node:'))
    .map((from) =>
      from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}

/** As npm would install it, and everything beside it. */
function link(name: string, folder: string): void {
  const path = join(folder, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  // A platform's engine may be a link that leads nowhere here.
  rmSync(path, { force: true });
  symlinkSync(resolve('node_modules', name), path);
}

/** Standard output of a command; throws with its output when it fails. */
export function runIn(
  cwd: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string {
  try {
    return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} failed: ${stdout}${stderr}`);
  }
}
