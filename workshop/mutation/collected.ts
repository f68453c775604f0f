import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, vi } from 'vitest';

/**
 * Stands in for vitest in the test files of a mutation run: tests are not run but collected, so that each can be run once
 * for each mutant without importing anything again.
 */

/** The state of a run. It is the worker's, since a static mutant has every module imported again. */
export interface MutationRun {
  /** The mutant that is awake. */
  active: number | null;
  /** Times that each mutant was reached, while it is measured. */
  reached: Map<number, number> | null;
  /** Times that the mutant which is awake may still be reached: a loop that it made endless ends in an error. */
  left: number;
  tests: CollectedTest[];
  file: string;
}

export interface CollectedTest {
  readonly file: string;
  readonly name: string;
  run(): Promise<void>;
}

declare global {
  var mutationRun: MutationRun;
  /** What instrumented modules ask. */
  var isMutated: (id: number) => boolean;
}

type Body = (...values: unknown[]) => unknown;

/** What surrounds the tests that are being collected. */
interface Suite {
  readonly name: string;
  readonly around: Suite | null;
  readonly before: Body[];
  readonly after: Body[];
}

let suite = createSuite('', null);

function createSuite(name: string, around: Suite | null): Suite {
  return { name, around, before: [], after: [] };
}

/** Bodies of suites. As in vitest each runs after what is around it, which may declare below it what it uses. */
let bodies: (() => void)[] = [];

/** Forgets hooks of the file before. */
export function beginFile(file: string): void {
  suite = createSuite('', null);
  bodies = [];
  globalThis.mutationRun.file = file;
}

/** Collects the tests in the suites of a file that was imported. */
export function endFile(): void {
  // Grows while it is walked.
  for (const runBody of bodies) runBody();
}

function collectSuite(name: string, body: Body): void {
  const own = createSuite(`${suite.name}${name} > `, suite);
  bodies.push(() => {
    suite = own;
    body();
  });
}

function collectTest(name: string, body: Body): void {
  const own = suite;
  const { file } = globalThis.mutationRun;
  const run = async () => {
    globalThis.mutationRun.file = file;
    const around: Suite[] = [];
    for (let each: Suite | null = own; each !== null; each = each.around) around.unshift(each);
    try {
      for (const { before } of around) for (const hook of before) await hook();
      await body();
    } finally {
      for (const { after } of around.reverse()) for (const hook of after) await hook();
    }
  };
  globalThis.mutationRun.tests.push({ file, name: `${own.name}${name}`, run });
}

type Collect = (name: string, body: Body) => void;

/** With the forms that vitest allows: options or a timeout beside the body, and rows of values. */
function withEach(collect: Collect) {
  const one = (name: string, ...given: unknown[]) => collect(name, bodyOf(given));
  const each =
    (rows: readonly unknown[]) =>
    (name: string, ...given: unknown[]) => {
      const body = bodyOf(given);
      for (const [index, row] of rows.entries())
        collect(`${name} (${index})`, () => (Array.isArray(row) ? body(...row) : body(row)));
    };
  return Object.assign(one, { each });
}

function bodyOf(given: readonly unknown[]): Body {
  return given.find((each) => typeof each === 'function') as Body;
}

/** Vitest looks for the file beside the module whose test runs, which is the driver here, and writes it where there is none. */
expect.extend({
  toMatchFileSnapshot(received: unknown, name: string) {
    const expected = readFileSync(join(dirname(globalThis.mutationRun.file), name), 'utf8');
    return { pass: received === expected, message: () => `it is not what ${name} says` };
  },
});

export const describe = withEach(collectSuite);
export const test = withEach(collectTest);
export const it = withEach(collectTest);
export const beforeEach = (hook: Body) => void suite.before.push(hook);
export const afterEach = (hook: Body) => void suite.after.push(hook);
/** Before each test, too: what a mutant spoiled for one must not stay for the next. */
export const beforeAll = (hook: Body) => beforeEach(hook);
export const afterAll = (hook: Body) => afterEach(hook);
export { expect, vi };
