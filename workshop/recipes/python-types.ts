import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureInstalled } from '#workshop/deployed/emulators/install.ts';
import { runCommand } from './run-command.ts';
import { compareLines, compareNames, readJson, SAMPLE_LINES } from './sample-lines.ts';

const FOLDER = 'examples/generated-types/python';
const REQUIREMENTS = join(FOLDER, 'requirements.txt');
const SCHEMA = 'docs/schemas/workforce-event.json';

/** Generates the models, has mypy check them with the example, and lets it read and write every sample event. */
export function checkPythonTypes(scratch: string): string {
  const bin = join(ensureGenerator(), 'bin');
  const cwd = join(scratch, 'python-types');
  mkdirSync(cwd);
  for (const file of ['generate.sh', 'read_events.py']) copyFileSync(join(FOLDER, file), join(cwd, file));
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

function ensureGenerator(): string {
  const pinned = readFileSync(REQUIREMENTS, 'utf8');
  const install = (folder: string) => {
    runCommand(['python3', '-m', 'venv', folder], { cwd: '.' });
    runCommand([join(folder, 'bin', 'pip'), 'install', '--quiet', '-r', REQUIREMENTS], { cwd: '.' });
  };
  return ensureInstalled({ name: 'python-types', pinned, install });
}
