import { readFileSync } from 'node:fs';
import { table } from '#shared/terminal/output.ts';
import type { Kill } from './job.ts';

/** What a test file notices of the mutants of a run. */
interface FileKills {
  readonly file: string;
  readonly lines: number;
  readonly killed: number;
  /** Mutants that no other file notices. */
  readonly alone: number;
}

/** Counts by file, those first that notice the least alone for their lines. */
export function countKills(
  killsOfMutants: readonly (readonly Kill[])[],
  linesOf: ReadonlyMap<string, number>,
): FileKills[] {
  const filesOfMutants = killsOfMutants.map((kills) => new Set(kills.map(({ file }) => file)));
  const counts = [...linesOf].map(([file, lines]) => {
    const noticed = filesOfMutants.filter((files) => files.has(file));
    return { file, lines, killed: noticed.length, alone: noticed.filter(({ size }) => size === 1).length };
  });
  return counts.sort((a, b) => a.alone / a.lines - b.alone / b.lines || b.lines - a.lines);
}

/** A table of the test files of a run. */
export function describeMatrix(
  results: readonly { readonly killedBy: readonly Kill[] }[],
  testFiles: readonly string[],
): string {
  const linesOf = new Map(testFiles.map((file) => [file, readFileSync(file, 'utf8').split('\n').length - 1]));
  const counts = countKills(
    results.map(({ killedBy }) => killedBy),
    linesOf,
  );
  const rows = counts.map(({ file, lines, killed, alone }) => [
    ...[killed, alone, lines].map((count) => String(count).padStart(6)),
    (alone / lines).toFixed(3).padStart(12),
    file,
  ]);
  return table([['killed', ' alone', ' lines', 'alone a line', 'test file'], ...rows]).join('\n');
}
