import { readFileSync } from 'node:fs';
import type { Mutant } from './mutants.ts';

/** What a worker is asked: mutants, and the test files that could kill them, the nearest first. */
export interface Job {
  readonly root: string;
  readonly mutants: readonly Mutant[];
  readonly testFiles: readonly string[];
  /** The tests of one mutant take no more processor time than about this. */
  readonly mutantMs: number;
  /** Goes on when a test noticed a mutant, until each was tried. */
  readonly findsAll: boolean;
  /** A file of lines, to which the worker appends. */
  readonly lines: string;
}

/** A test that noticed a mutant. */
export interface Kill {
  readonly file: string;
  readonly name: string;
}

/** One line of a worker. */
export type Line =
  | { readonly kind: 'failing'; readonly test: string }
  | { readonly kind: 'test' }
  | { readonly kind: 'begin'; readonly id: number }
  | {
      readonly kind: 'mutant';
      readonly id: number;
      /** Tests that noticed it: the first one, or all. */
      readonly killedBy: readonly Kill[];
      /** Whether any test runs the code of it. */
      readonly isReached: boolean;
    }
  | { readonly kind: 'end' };

/** What a worker wrote so far. */
export function readLines(path: string): Line[] {
  const texts = readFileSync(path, 'utf8').split('\n');
  return texts.filter((text) => text !== '').map((text) => JSON.parse(text) as Line);
}

declare module 'vitest' {
  interface ProvidedContext {
    job: Job;
  }
}
