import { copyFileSync, globSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ensureInstalled } from '#workshop/deployed/emulators/install.ts';
import { runCommand } from './run-command.ts';
import { compareLines, compareNames, readJson, SAMPLE_LINES } from './sample-lines.ts';

const FOLDER = 'examples/generated-types/csharp';
const DOCUMENT = 'docs/asyncapi.json';
/** Where Debian's libnewtonsoft-json5.0-cil has it. */
const NEWTONSOFT = '/usr/lib/cli/Newtonsoft.Json-*/Newtonsoft.Json.dll';

/** Generates the classes, compiles them with the example, and lets it read and write every sample event. */
export function checkCsharpTypes(scratch: string): string {
  const generator = ensureGenerator();
  const classes = join(scratch, 'csharp-types');
  copyFileSync(join(FOLDER, 'generate.mjs'), join(generator, 'generate.mjs'));
  runCommand([process.execPath, 'generate.mjs', resolve(DOCUMENT), classes], { cwd: generator });
  const files = readdirSync(classes);
  const { schemas } = readJson(DOCUMENT).components as { readonly schemas: object };
  const types = compareNames(
    files.map((file) => basename(file, '.cs')),
    Object.keys(schemas),
  );
  const library = findNewtonsoft();
  copyFileSync(library, join(scratch, 'Newtonsoft.Json.dll'));
  const references = [`-r:${library}`, '-r:Microsoft.CSharp.dll'];
  const sources = [...files.map((file) => join(classes, file)), resolve(FOLDER, 'ReadEvents.cs')];
  runCommand(['mcs', '-warnaserror', '-out:read.exe', ...references, ...sources], { cwd: scratch });
  const printed = runCommand(['mono', 'read.exe'], { cwd: scratch, input: SAMPLE_LINES });
  const events = compareLines(printed, { absentIsNull: true });
  return `${types} classes, which mcs compiles, read ${events} events and write them again`;
}

function findNewtonsoft(): string {
  const [found] = globSync(NEWTONSOFT);
  if (found === undefined) throw new Error(`there is no ${NEWTONSOFT}; install libnewtonsoft-json5.0-cil`);
  return found;
}

function ensureGenerator(): string {
  const manifest = join(FOLDER, 'package.json');
  const install = (folder: string) => {
    copyFileSync(manifest, join(folder, 'package.json'));
    runCommand(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  };
  return ensureInstalled({ name: 'csharp-types', pinned: JSON.stringify(readJson(manifest)), install });
}
