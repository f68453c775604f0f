import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** What is measured, by the number of its goal. */
export const TARGETS = {
  P1: 'requests to the source',
  P2: 'reads of an unchanged poll',
  P3: 'writes of an event',
  P4: 'CPU of an unchanged page',
  P5: 'CPU of 100,000 approvals at once',
  P6: 'CPU of a changed event',
  P8: 'memory of the function that polls',
  P9: 'delay from a clocking to a webhook',
  P11: 'dollars a month',
  P12: 'a new connection',
} as const;
export type Target = keyof typeof TARGETS;

/** One line of the table that `npm run bench` prints. */
export interface Row {
  readonly target: Target;
  readonly metric: string;
  /** What was run in the same process for comparison, and its value. */
  readonly baseline: readonly [name: string, value: number] | null;
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
  const names = Object.keys(TARGETS);
  const sorted = rows.toSorted((a, b) => names.indexOf(a.target) - names.indexOf(b.target));
  const lines = sorted.map((row) => {
    const { target, metric, baseline, reached, atMost, unit = '' } = row;
    const describe = (value: number) => `${describeCount(value)} ${unit}`.trim();
    const beside = baseline === null ? ['', ''] : [baseline[0], describe(baseline[1])];
    const goal = atMost === undefined ? '' : `${describe(atMost)}${isReached(row) ? '' : ' (missed)'}`;
    return `| ${[target, `${TARGETS[target]}: ${metric}`, ...beside, goal, describe(reached)].join(' | ')} |`;
  });
  return ['| | Figure | Baseline | Its value | Goal | Reached |', '|---|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}

export function isReached({ reached, atMost = Number.POSITIVE_INFINITY }: Row): boolean {
  return reached <= atMost;
}

/** Relative; sums of fractions may differ in their last digit. */
const TOLERANCE = 1e-6;

/** The best value so far by the name of the count. */
type Reached = Readonly<Record<string, number>>;

/** A count that differs from the best so far. */
export interface Difference {
  readonly name: string;
  readonly value: number;
  /** Null for a new count. */
  readonly reached: number | null;
}

interface Judgement {
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

/** Rounded to three decimals. Throws when two rows have the same name, since one would hide the other. */
function collectCounts(rows: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { target, metric, reached, isTime } of rows) {
    if (isTime) continue;
    const name = `${target}: ${metric}`;
    if (counts.has(name)) throw new Error(`two rows count "${name}"`);
    counts.set(name, Number(reached.toFixed(3)));
  }
  return counts;
}
