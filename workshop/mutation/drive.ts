import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { inject, test, vi } from 'vitest';
import type { CollectedTest, MutationRun } from './collected.ts';
import { type Job, type Kill, type Line, readLines } from './job.ts';
import type { Mutant } from './mutants.ts';

/** Runs in vitest's worker: each mutant against the tests that reach it, the quickest first, until one fails, or all. */

/** Milliseconds of processor time, so that a busy machine gives the same score. */
const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const job: Job = inject('job');
const run: MutationRun = { active: null, reached: new Map(), left: 0, tests: [], file: '' };
globalThis.mutationRun = run;
globalThis.isMutated = isMutated;
/** A test that a mutant keeps from ending fails after this, and some multiple of what it takes without. */
const MIN_TEST_MS = 2_000;
const TEST_TIMES = 10;
/** A mutant may be reached this many times more than without one. */
const REACHED_TIMES = 20;
const MIN_REACHED = 2_000;

interface Measured {
  readonly test: CollectedTest;
  readonly milliseconds: number;
  readonly reached: ReadonlyMap<number, number>;
}

test('mutants', { timeout: 0 }, async () => {
  // The first counterexample kills: none is made smaller.
  fc.configureGlobal({ endOnFailure: true });
  await collect(job.testFiles);
  const reachedByImports = run.reached ?? new Map<number, number>();
  const measured = await measure(run.tests);
  const done = new Set(readLines(job.lines).flatMap((line) => (line.kind === 'mutant' ? [line.id] : [])));
  for (const mutant of job.mutants.filter(({ id }) => !done.has(id))) {
    note({ kind: 'begin', id: mutant.id });
    const isTested = measured.some(({ reached }) => reached.has(mutant.id));
    // Functions that only run while their module is imported, too.
    const isImported = mutant.isStatic || (!isTested && reachedByImports.has(mutant.id));
    const killedBy = isImported ? await killStatic(mutant) : await kill(mutant, measured);
    const isReached = isImported || isTested;
    note({ kind: 'mutant', id: mutant.id, killedBy, isReached });
  }
  note({ kind: 'end' });
});

async function collect(files: readonly string[]): Promise<void> {
  const { beginFile, endFile } = await import('./collected.ts');
  for (const file of files) {
    beginFile(file);
    await import(/* @vite-ignore */ `${job.root}/${file}`);
    endFile();
  }
}

/** Runs every test as it is. One that fails without a mutant says nothing about mutants. */
async function measure(tests: readonly CollectedTest[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const each of tests) {
    const reached = new Map<number, number>();
    run.reached = reached;
    const startedAt = now();
    const failure = await failureOf(each, job.mutantMs * 4);
    run.reached = null;
    note({ kind: 'test' });
    if (failure !== null) note({ kind: 'failing', test: `${each.file}: ${each.name}: ${failure}` });
    else if (reached.size > 0) measured.push({ test: each, milliseconds: now() - startedAt, reached });
  }
  return measured.sort((a, b) => a.milliseconds - b.milliseconds);
}

async function kill({ id }: Mutant, measured: readonly Measured[]): Promise<Kill[]> {
  const end = now() + job.mutantMs;
  const kills: Kill[] = [];
  for (const { test: each, milliseconds, reached } of measured) {
    const times = reached.get(id);
    if (times === undefined) continue;
    if (now() > end) break;
    run.active = id;
    run.left = MIN_REACHED + times * REACHED_TIMES;
    const failure = await failureOf(each, MIN_TEST_MS + milliseconds * TEST_TIMES);
    run.active = null;
    if (failure === null) continue;
    kills.push({ file: each.file, name: each.name });
    if (!job.findsAll) break;
  }
  return kills;
}

/** Everything is imported again, with the mutant awake, and file after file, the nearest first. */
async function killStatic({ id }: Mutant): Promise<Kill[]> {
  const end = now() + job.mutantMs;
  const kills: Kill[] = [];
  for (const file of job.testFiles) {
    if (now() > end) break;
    kills.push(...(await killByFile(id, file)));
    if (kills.length > 0 && !job.findsAll) break;
  }
  return kills;
}

async function killByFile(id: number, file: string): Promise<Kill[]> {
  vi.resetModules();
  run.tests = [];
  run.active = id;
  run.left = Number.POSITIVE_INFINITY;
  try {
    await collect([file]);
  } catch {
    return [{ file, name: 'its import' }];
  } finally {
    run.active = null;
  }
  const kills: Kill[] = [];
  for (const each of run.tests) {
    if ((await failureOf(each, MIN_TEST_MS * 2)) === null) continue;
    kills.push({ file, name: each.name });
    if (!job.findsAll) break;
  }
  return kills;
}

async function failureOf(each: CollectedTest, milliseconds: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'took too long');
  });
  const failed = each.run().then(
    () => null,
    (error: unknown) => String(error).slice(0, 200),
  );
  try {
    return await Promise.race([failed, late]);
  } finally {
    clearTimeout(timer);
  }
}

function note(line: Line): void {
  appendFileSync(job.lines, `${JSON.stringify(line)}\n`);
}

/** Whether a mutant is awake, which is what instrumented modules ask. */
function isMutated(id: number): boolean {
  if (run.reached !== null) run.reached.set(id, (run.reached.get(id) ?? 0) + 1);
  if (run.active !== id) return false;
  run.left -= 1;
  if (run.left < 0) throw new Error('a mutant made a loop endless');
  return true;
}
