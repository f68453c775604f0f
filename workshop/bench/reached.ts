import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Row } from './row.ts';

/** Relative; sums of fractions may differ in their last digit. */
const TOLERANCE = 1e-6;

/** The best value so far by the name of the count. */
export type Reached = Readonly<Record<string, number>>;

/** A count that differs from the best so far. */
export interface Difference {
  readonly name: string;
  readonly value: number;
  /** Null for a new count. */
  readonly reached: number | null;
}

export interface Judgement {
  readonly worse: readonly Difference[];
  readonly better: readonly Difference[];
}

/** Compares the counts of these rows with the best so far. */
export function judgeCounts(rows: readonly Row[], reached: Reached): Judgement {
  const worse: Difference[] = [];
  const better: Difference[] = [];
  for (const [name, value] of collectCounts(rows)) {
    const known = reached[name];
    const difference = { name, value, reached: known ?? null };
    if (known === undefined || value < known - Math.abs(known) * TOLERANCE) better.push(difference);
    // NaN is worse, too.
    else if (!(value <= known + Math.abs(known) * TOLERANCE)) worse.push(difference);
  }
  return { worse, better };
}

/** Takes over the better and the new counts of these rows; a worse one changes nothing. */
export function acceptCounts(rows: readonly Row[], reached: Reached): Reached {
  const better = judgeCounts(rows, reached).better.filter(({ value }) => Number.isFinite(value));
  const all = { ...reached, ...Object.fromEntries(better.map(({ name, value }) => [name, value])) };
  return Object.fromEntries(
    Object.entries(all).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })),
  );
}

export function readReached(file: string): Reached {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Reached) : {};
}

export function writeReached(file: string, reached: Reached): void {
  writeFileSync(file, `${JSON.stringify(reached, null, 2)}\n`);
}

/** Throws when two rows have the same name, since one would hide the other. */
function collectCounts(rows: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { topic, metric, baseline, count } of rows) {
    if (count === undefined) continue;
    const name = `${topic}: ${metric}`;
    if (counts.has(name)) throw new Error(`two rows count "${name}" (one beside ${baseline})`);
    counts.set(name, count);
  }
  return counts;
}
