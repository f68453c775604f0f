import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ensureInstalled } from '#workshop/deployed/install.ts';
import { runCommand } from './run-command.ts';
import { compareLines, compareNames, readJson, SAMPLE_LINES } from './sample-lines.ts';

const PYTHON_FOLDER = 'examples/generated-types/python';
const REQUIREMENTS = join(PYTHON_FOLDER, 'requirements.txt');
const SCHEMA = 'docs/schemas/workforce-event.json';

/** Generates the models, has mypy check them with the example, and lets it read and write every sample event. */
export function checkPythonTypes(scratch: string): string {
  const bin = join(ensurePythonGenerator(), 'bin');
  const cwd = join(scratch, 'python-types');
  mkdirSync(cwd);
  for (const file of ['generate.sh', 'read_events.py'])
    copyFileSync(join(PYTHON_FOLDER, file), join(cwd, file));
  runCommand(['sh', 'generate.sh', join(bin, 'datamodel-codegen'), resolve(SCHEMA)], { cwd });
  const { $defs, title } = readJson(SCHEMA);
  const models = [...readFileSync(join(cwd, 'events.py'), 'utf8').matchAll(/^class (?<name>\w+)\(/gm)];
  const names = models.map(({ groups }) => groups?.name ?? '');
  const types = compareNames(names, [...Object.keys($defs as object), String(title)]);
  runCommand([join(bin, 'mypy'), '--strict', 'events.py', 'read_events.py'], { cwd });
  const printed = runCommand([join(bin, 'python'), 'read_events.py'], { cwd, input: SAMPLE_LINES });
  const events = compareLines(printed, { absentIsNull: false });
  return `${types} models, which mypy accepts, read ${events} events and write them again`;
}

function ensurePythonGenerator(): string {
  const pinned = readFileSync(REQUIREMENTS, 'utf8');
  const install = (folder: string) => {
    runCommand(['python3', '-m', 'venv', folder], { cwd: '.' });
    runCommand([join(folder, 'bin', 'pip'), 'install', '--quiet', '-r', REQUIREMENTS], { cwd: '.' });
  };
  return ensureInstalled({ name: 'python-types', pinned, install });
}

const CSHARP_FOLDER = 'examples/generated-types/csharp';
const DOCUMENT = 'docs/asyncapi.json';
/** Where Debian's libnewtonsoft-json5.0-cil has it. */
const NEWTONSOFT = '/usr/lib/cli/Newtonsoft.Json-*/Newtonsoft.Json.dll';

/** Generates the classes, compiles them with the example, and lets it read and write every sample event. */
export function checkCsharpTypes(scratch: string): string {
  const generator = ensureCsharpGenerator();
  const classes = join(scratch, 'csharp-types');
  copyFileSync(join(CSHARP_FOLDER, 'generate.mjs'), join(generator, 'generate.mjs'));
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
  const sources = [...files.map((file) => join(classes, file)), resolve(CSHARP_FOLDER, 'ReadEvents.cs')];
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

function ensureCsharpGenerator(): string {
  const manifest = join(CSHARP_FOLDER, 'package.json');
  const install = (folder: string) => {
    copyFileSync(manifest, join(folder, 'package.json'));
    runCommand(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  };
  return ensureInstalled({ name: 'csharp-types', pinned: JSON.stringify(readJson(manifest)), install });
}
