#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { listModules, type Module } from '#test/support/modules.ts';
import { type Job, type Line, readLines } from './job.ts';
import { describeMatrix } from './matrix.ts';
import { type Mutant, mutateModule } from './mutants.ts';

const FOLDERS = ['shared', 'test'];
/** A worker that says nothing for so long hangs in the mutant that it began. */
const MAX_SILENCE_MS = 60_000;
const CHECK_MS = 500;
/** Their tests run in memory, in milliseconds, and reach every pure part. Those of a mutated feature count, too. */
const ALWAYS_TRIED = ['core', 'flow'];
/** One replaces modules by vitest's own means, the long ones take seconds for each mutant. */
const LEFT_OUT = /(?:publish-speed|\.long)\.test\.ts$/;

interface Options {
  readonly tests?: string;
  readonly killed?: true;
  readonly matrix?: true;
}

/** Of the tests of one change, in milliseconds of a processor: with the matrix, all that reach it run. */
const MUTANT_MS = { first: 3_000, matrix: 60_000 };

const program = new Command('npm run mutate --')
  .description('How many small changes of some modules of shared/ no test notices.')
  .argument('<folder or file...>', 'of the modules, such as shared/core/commit')
  .option('--tests <folder or file>', 'only these tests')
  .option('--killed', 'print also what a test noticed, and which')
  .option('--matrix', 'find all tests that notice a change, and print what each file alone notices')
  .parse();
const { tests: below = '', killed, matrix = false } = program.opts<Options>();

const root = process.cwd();
const modules = listModules(FOLDERS);
const mutated = modules.filter(
  ({ path }) =>
    path.startsWith('shared/') &&
    program.args.some((each) => path === each || path.startsWith(`${each.replace(/\/$/, '')}/`)),
);
if (mutated.length === 0) {
  program.error(`no module of shared/ is at ${program.args.join(', ')}`, { exitCode: 2 });
}

const paths = mutated.map(({ path }) => path);
const tests = findTests(modules, paths).filter((each) => each.startsWith(below));
if (tests.length === 0) {
  const place = below === '' ? '' : ` below ${below}`;
  program.error(`no test${place} imports ${paths.join(' or ')}`, { exitCode: 2 });
}

mkdirSync('.cache', { recursive: true });
const scratch = mkdtempSync(join('.cache', 'mutation-'));
try {
  const mutants: Mutant[] = [];
  for (const { path, text } of mutated) mutants.push(...mutateModule(text, path, mutants.length).mutants);
  const results = await run(mutants, tests);
  const texts = new Map(mutated.map(({ path, text }) => [path, text]));
  process.stdout.write(describeScores(results, texts));
  const kills = results.map(({ killedBy }) => killedBy);
  if (matrix) process.stdout.write(`\n${describeMatrix(kills, tests)}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Starts workers until each mutant was tried. A mutant in which one hung is killed. */
async function run(mutants: readonly Mutant[], testFiles: readonly string[]): Promise<Result[]> {
  const lines = join(scratch, 'lines');
  const job: Job = {
    root,
    mutants,
    testFiles,
    mutantMs: MUTANT_MS[matrix ? 'matrix' : 'first'],
    findsAll: matrix,
    lines,
  };
  const path = join(scratch, 'job.json');
  writeFileSync(path, JSON.stringify(job));
  writeFileSync(lines, '');
  process.stdout.write(`${mutants.length} mutants, ${testFiles.length} test files\n`);
  for (;;) {
    await work(path, lines);
    const seen = readLines(lines);
    if (seen.at(-1)?.kind === 'end') return collectResults(mutants, seen);
    const last = seen.at(-1);
    if (last?.kind !== 'begin')
      throw new Error(`the worker ended before its first mutant: ${JSON.stringify(last)}`);
    const killedBy = [{ file: 'no file', name: 'its tests never ended' }];
    const hung: Line = { kind: 'mutant', id: last.id, killedBy, isReached: true };
    writeFileSync(lines, `${JSON.stringify(hung)}\n`, { flag: 'a' });
  }
}

async function work(job: string, lines: string): Promise<void> {
  const worker = spawn(process.execPath, [join(dirname(import.meta.filename), 'worker.ts'), job], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(worker, 'exit');
  let begun = Date.now();
  const watch = setInterval(() => {
    begun = Math.max(begun, statSync(lines).mtimeMs);
    // The group, with vitest's own worker.
    if (Date.now() - begun > MAX_SILENCE_MS && worker.pid !== undefined) process.kill(-worker.pid, 'SIGKILL');
  }, CHECK_MS);
  await ended;
  clearInterval(watch);
}

function collectResults(mutants: readonly Mutant[], lines: readonly Line[]): Result[] {
  for (const line of lines)
    if (line.kind === 'failing') process.stdout.write(`fails without a mutant: ${line.test}\n`);
  const byId = new Map(lines.flatMap((line) => (line.kind === 'mutant' ? [[line.id, line] as const] : [])));
  return mutants.map((mutant) => {
    const line = byId.get(mutant.id);
    if (line === undefined) throw new Error(`mutant ${mutant.id} of ${mutant.path} was not tried`);
    return { ...line, mutant };
  });
}

type Result = Extract<Line, { readonly kind: 'mutant' }> & { readonly mutant: Mutant };

/** Survivors, each with its place and lines, then the score of each module and of all. */
function describeScores(results: readonly Result[], texts: ReadonlyMap<string, string>): string {
  const lines: string[] = [];
  for (const result of results) {
    if (result.killedBy.length > 0 && !killed) continue;
    lines.push(...describeMutant(result, texts.get(result.mutant.path) ?? ''), '');
  }
  const byPath = Map.groupBy(results, ({ mutant }) => mutant.path);
  for (const [path, ofModule] of byPath) lines.push(describeScore(path, ofModule));
  lines.push(describeScore('all', results));
  return `${lines.join('\n')}\n`;
}

function describeScore(name: string, results: readonly Result[]): string {
  const killed = results.filter(({ killedBy }) => killedBy.length > 0).length;
  const share = ((100 * killed) / results.length).toFixed(1);
  return `${share.padStart(5)} %  ${String(killed).padStart(4)} of ${String(results.length).padEnd(4)}  ${name}`;
}

function describeMutant({ mutant, killedBy, isReached }: Result, text: string): string[] {
  const { path, start, end, operator } = mutant;
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', end);
  const line = text.slice(0, start).split('\n').length;
  const killers = killedBy.map((kill) => `${kill.file}: ${kill.name}`).join(', ');
  const survived = `survived${isReached ? '' : ', no test reaches it'}`;
  const fate = killers === '' ? survived : `killed by ${killers}`;
  const changed = text.slice(from, start) + mutant.text + text.slice(end, to);
  return [
    `${path}:${line}  ${operator}: ${fate}`,
    ...text
      .slice(from, to)
      .split('\n')
      .map((each) => `  - ${each.trim()}`),
    ...changed.split('\n').map((each) => `  + ${each.trim()}`),
  ];
}

/** Test files that import one of these modules, however far away, the nearest first. */
function findTests(modules: readonly Module[], paths: readonly string[]): string[] {
  const folders = [...ALWAYS_TRIED, ...paths.map((path) => path.split('/')[1])].map(
    (each) => `test/shared/${each}/`,
  );
  const importers = new Map<string, string[]>();
  for (const { path, imports } of modules)
    for (const { target, typesOnly } of imports)
      if (!typesOnly) importers.set(target, [...(importers.get(target) ?? []), path]);
  const distances = new Map(paths.map((path) => [path, 0]));
  // Grows while it is walked.
  for (const [path, distance] of distances)
    for (const importer of importers.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return [...distances]
    .filter(([path]) => path.endsWith('.test.ts') && folders.some((each) => path.startsWith(each)))
    .filter(([path]) => !LEFT_OUT.test(path))
    .sort(([, a], [, b]) => a - b)
    .map(([path]) => path);
}
