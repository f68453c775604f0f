import { readFileSync, writeFileSync } from 'node:fs';

/** One line of the table that `npm run bench` prints. */
export interface Row {
  /** The number of its goal. */
  readonly target: `P${number}`;
  readonly metric: string;
  /** Beside what, and its value. */
  readonly baseline?: readonly [name: string, value: number];
  readonly reached: number;
  readonly atMost?: number | undefined;
  readonly unit?: string;
  /** A seeded count is the same on every machine: one that is worse than the best so far fails the bench. A time never does. */
  readonly isTime?: true;
}

/** Grouped digits from 100 on, at most two decimals below. */
export function describeCount(count: number): string {
  return Math.abs(count) >= 100 ? Math.round(count).toLocaleString('en') : String(Number(count.toFixed(2)));
}

/** A Markdown table in the order of the targets. */
export function buildTable(rows: readonly Row[]): string {
  const numberOf = ({ target }: Row) => Number(target.slice(1));
  const lines = rows.toSorted((a, b) => numberOf(a) - numberOf(b)).map(renderRow);
  const head = ['| | Figure | Baseline | Its value | Goal | Reached |', '|---|---|---|---|---|---|'];
  return [...head, ...lines].join('\n');
}

function renderRow({ target, metric, baseline, reached, atMost, unit = '' }: Row): string {
  const describe = (value: number) => `${describeCount(value)} ${unit}`.trim();
  const [name, value] = baseline === undefined ? ['', ''] : [baseline[0], describe(baseline[1])];
  const missed = atMost !== undefined && !(reached <= atMost) ? ' (missed)' : '';
  const goal = atMost === undefined ? '' : `${describe(atMost)}${missed}`;
  return `| ${[target, metric, name, value, goal, describe(reached)].join(' | ')} |`;
}

/** The best value so far by the name of the count. */
type Reached = Readonly<Record<string, number>>;

/** Relative; sums of fractions may differ in their last digit. */
const TOLERANCE = 1e-6;

/**
 * Holds the counts of these rows against the best so far. Returns what is worse, and the best of all: a count that is
 * worse, or could not be made, changes nothing.
 */
export function compareCounts(rows: readonly Row[], known: Reached): { worse: string[]; best: Reached } {
  const counts = rows
    .filter(({ isTime }) => isTime !== true)
    .map(({ target, metric, reached }) => [`${target}: ${metric}`, Number(reached.toFixed(3))] as const);
  const isWorse = (value: number, before = Number.POSITIVE_INFINITY) =>
    !(value <= before + Math.abs(before) * TOLERANCE);
  const worse = counts.filter(([name, value]) => isWorse(value, known[name]));
  const better = counts.filter(([name, value]) => value < (known[name] ?? Number.POSITIVE_INFINITY));
  const best = Object.entries({ ...known, ...Object.fromEntries(better) });
  return {
    worse: worse.map(([name, value]) => `${name}: ${value}, the best so far is ${known[name] ?? 'none'}`),
    best: Object.fromEntries(best.sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))),
  };
}

export function readReached(file: string): Reached {
  return JSON.parse(readFileSync(file, 'utf8')) as Reached;
}

export function writeReached(file: string, reached: Reached): void {
  writeFileSync(file, `${JSON.stringify(reached, null, 2)}\n`);
}
