#!/usr/bin/env node

/**
 * Tests what subscribers in other languages use, their webhook receivers and the types that generators make of the
 * schemas: `npm run test:recipes`, or with names of recipes. It needs python3, go, mcs and mono, which `npm test` does
 * not, and fails where one is missing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPayers, checkReceiver } from './check-recipes.ts';
import { checkCsharpTypes, checkPythonTypes } from './generated-types.ts';
import { runCommand } from './run-command.ts';

interface Receiver {
  readonly folder: string;
  /** Commands that test it, run in its folder. */
  readonly tests: readonly (readonly string[])[];
  /** What starts it, after the tests. */
  readonly program: readonly string[];
}

const scratch = mkdtempSync(join(tmpdir(), 'recipes-'));
const GO_PROGRAM = join(scratch, 'receiver');
const PYTHON: Receiver = {
  folder: 'examples/webhook-receiver-python',
  tests: [['python3', '-B', '-m', 'unittest', 'discover']],
  program: ['python3', '-B', 'receiver.py'],
};
const GO: Receiver = {
  folder: 'examples/webhook-receiver-go',
  tests: [
    ['go', 'vet', './...'],
    ['go', 'test', '-count=1', './...'],
    ['go', 'build', '-o', GO_PROGRAM, '.'],
  ],
  program: [GO_PROGRAM],
};
/** Each returns what it found, as the end of a sentence. */
const RECIPES: Readonly<Record<string, () => string | Promise<string>>> = {
  python: () => testReceiver(PYTHON),
  go: () => testReceiver(GO),
  'python-payer': () => checkPayers(scratch),
  'python-types': () => checkPythonTypes(scratch),
  'csharp-types': () => checkCsharpTypes(scratch),
};

async function main(): Promise<void> {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(RECIPES);
  for (const name of names) {
    const recipe = RECIPES[name];
    if (recipe === undefined) {
      throw new Error(`there is no recipe ${name}; there are ${Object.keys(RECIPES).join(', ')}`);
    }
    process.stdout.write(`${name}: ${await recipe()}\n`);
  }
}

async function testReceiver({ folder, tests, program }: Receiver): Promise<string> {
  for (const command of tests) runCommand(command, { cwd: folder });
  return `its tests pass, and its receiver passes ${await checkReceiver(program, folder)} checks`;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true });
}
