import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EXAMPLE_EVENTS } from '#kit/testing.ts';
import { ensureInstalled } from '#workshop/deployed/install.ts';
import { runCommand } from './run-command.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const SAMPLES = Object.values(EXAMPLE_EVENTS).map((event) => JSON.stringify(event));

/** An example of each type of event, one a line. */
const SAMPLE_LINES = `${SAMPLES.join('\n')}\n`;

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
  runCommand([join(bin, 'mypy'), '--strict', 'events.py', 'read_events.py'], { cwd });
  const printed = runCommand([join(bin, 'python'), 'read_events.py'], { cwd, input: SAMPLE_LINES });
  const events = compareLines(printed, { absentIsNull: false });
  return `models that mypy accepts read ${events} events and write them again`;
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
  const library = findNewtonsoft();
  copyFileSync(library, join(scratch, 'Newtonsoft.Json.dll'));
  const references = [`-r:${library}`, '-r:Microsoft.CSharp.dll'];
  const sources = [...files.map((file) => join(classes, file)), resolve(CSHARP_FOLDER, 'ReadEvents.cs')];
  runCommand(['mcs', '-warnaserror', '-out:read.exe', ...references, ...sources], { cwd: scratch });
  const printed = runCommand(['mono', 'read.exe'], { cwd: scratch, input: SAMPLE_LINES });
  const events = compareLines(printed, { absentIsNull: true });
  return `classes that mcs compiles read ${events} events and write them again`;
}

function findNewtonsoft(): string {
  const [found] = globSync(NEWTONSOFT);
  if (found === undefined) throw new Error(`there is no ${NEWTONSOFT}; install libnewtonsoft-json5.0-cil`);
  return found;
}

function ensureCsharpGenerator(): string {
  const packageFile = join(CSHARP_FOLDER, 'package.json');
  const install = (folder: string) => {
    copyFileSync(packageFile, join(folder, 'package.json'));
    runCommand(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  };
  return ensureInstalled({ name: 'csharp-types', pinned: readFileSync(packageFile, 'utf8'), install });
}

/**
 * Compares what a program in another language read and wrote again, and the hours approved that it counted in its last
 * line. Returns how many events there were. `absentIsNull`: it does not tell a member that is absent from one that is
 * null.
 */
function compareLines(printed: string, { absentIsNull }: { readonly absentIsNull: boolean }): number {
  const lines = printed.trim().split('\n');
  const approved = Number(lines.pop());
  const settle = (text: string) => JSON.stringify(normalize(JSON.parse(text), absentIsNull));
  const [written, sent] = [lines.map(settle), SAMPLES.map(settle)];
  const wrong = sent.findIndex((text, place) => text !== written[place]);
  if (wrong >= 0) throw new Error(`sent    ${sent[wrong]}\nwritten ${written[wrong]}`);
  if (written.length !== sent.length) throw new Error(`${sent.length} events became ${written.length}`);
  const { hoursToPay } = EXAMPLE_EVENTS['workforce.timesheet.approved'].data.current;
  if (approved !== hoursToPay) throw new Error(`${approved} hours approved instead of ${hoursToPay}`);
  return sent.length;
}

/** Members in the order of their names, and an instant in one notation. */
function normalize(value: unknown, absentIsNull: boolean): unknown {
  if (typeof value === 'string') return INSTANT.test(value) ? new Date(value).toISOString() : value;
  if (Array.isArray(value)) return value.map((each) => normalize(each, absentIsNull));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, each]) => !(absentIsNull && each === null));
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, normalize(each, absentIsNull)]),
  );
}
