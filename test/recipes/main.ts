#!/usr/bin/env node
/**
 * Tests the webhook receivers in other languages: `npm run test:recipes`, or with the name of one. It needs python3 and
 * go, which `npm test` does not, and fails where one is missing.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkReceiver } from './check-receiver.ts';

interface Recipe {
  readonly folder: string;
  /** Commands that test it, run in its folder. */
  readonly tests: readonly (readonly string[])[];
  /** What starts its receiver, after the tests. */
  readonly program: readonly string[];
}

const scratch = mkdtempSync(join(tmpdir(), 'recipes-'));
const GO_PROGRAM = join(scratch, 'receiver');
const RECIPES: Readonly<Record<string, Recipe>> = {
  python: {
    folder: 'examples/webhook-receiver-python',
    tests: [['python3', '-B', '-m', 'unittest', 'discover']],
    program: ['python3', '-B', 'receiver.py'],
  },
  go: {
    folder: 'examples/webhook-receiver-go',
    tests: [
      ['go', 'vet', './...'],
      ['go', 'test', '-count=1', './...'],
      ['go', 'build', '-o', GO_PROGRAM, '.'],
    ],
    program: [GO_PROGRAM],
  },
};

async function main(): Promise<void> {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(RECIPES);
  for (const name of names) {
    const recipe = RECIPES[name];
    if (recipe === undefined) {
      throw new Error(`there is no recipe ${name}; there are ${Object.keys(RECIPES).join(', ')}`);
    }
    for (const command of recipe.tests) runCommand(command, recipe.folder);
    const checks = await checkReceiver(recipe.program, recipe.folder);
    process.stdout.write(`${name}: its tests pass, and its receiver passes ${checks} checks of conform\n`);
  }
}

function runCommand([file = '', ...args]: readonly string[], cwd: string): void {
  const { status, error, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8' });
  if (error !== undefined) throw new Error(`cannot run ${file}: ${error.message}; install it`);
  if (status !== 0) throw new Error(`${[file, ...args].join(' ')} failed in ${cwd}\n${stdout}${stderr}`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true });
}
