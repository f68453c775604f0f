import { readFileSync } from 'node:fs';
import { table } from '#shared/terminal/output.ts';
import type { Kill } from './job.ts';

/** What each test file notices, and what no other one does; those first that notice the least alone for their lines. */
export function countKills(
  killsOfMutants: readonly (readonly Kill[])[],
  linesOf: ReadonlyMap<string, number>,
) {
  const filesOfMutants = killsOfMutants.map((kills) => new Set(kills.map(({ file }) => file)));
  const counts = [...linesOf].map(([file, lines]) => {
    const noticed = filesOfMutants.filter((files) => files.has(file));
    return { file, lines, killed: noticed.length, alone: noticed.filter(({ size }) => size === 1).length };
  });
  return counts.sort((a, b) => a.alone / a.lines - b.alone / b.lines || b.lines - a.lines);
}

export function describeMatrix(
  killsOfMutants: readonly (readonly Kill[])[],
  testFiles: readonly string[],
): string {
  const linesOf = new Map(testFiles.map((file) => [file, readFileSync(file, 'utf8').split('\n').length - 1]));
  const rows = countKills(killsOfMutants, linesOf).map(({ file, lines, killed, alone }) => [
    ...[killed, alone, lines].map((count) => String(count).padStart(6)),
    (alone / lines).toFixed(3).padStart(12),
    file,
  ]);
  return table([['killed', ' alone', ' lines', 'alone a line', 'test file'], ...rows]).join('\n');
}
