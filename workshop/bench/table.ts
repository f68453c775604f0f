import { readFileSync, writeFileSync } from 'node:fs';

/** What is measured, by the number of its goal. */
export const TARGETS = {
  P1: 'requests to the source',
  P2: 'reads of an unchanged poll',
  P3: 'writes of an event',
  P4: 'CPU of an unchanged page',
  P5: 'CPU of 100,000 approvals at once',
  P6: 'CPU of a changed event',
  P7: 'pace through unknown limits',
  P8: 'memory of the function that polls',
  P9: 'clocking to a webhook',
  P10: 'closing',
  P11: 'dollars a month',
  P12: 'a new connection',
  P13: 'an idle minute of 30 people',
  P14: 'npm start',
  P15: 'synth',
} as const;
export type Target = keyof typeof TARGETS;

/** One line of the table that `npm run bench` prints. */
export interface Row {
  readonly target: Target;
  readonly metric: string;
  /** What was run in the same process for comparison, and its value. */
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
  const names = Object.keys(TARGETS);
  const sorted = rows.toSorted((a, b) => names.indexOf(a.target) - names.indexOf(b.target));
  const lines = sorted.map((row) => {
    const { target, metric, baseline, reached, atMost, unit = '' } = row;
    const describe = (value: number) => `${describeCount(value)} ${unit}`.trim();
    const cells = [
      target,
      `${TARGETS[target]}: ${metric}`,
      ...(baseline === undefined ? ['', ''] : [baseline[0], describe(baseline[1])]),
      atMost === undefined ? '' : `${describe(atMost)}${isReached(row) ? '' : ' (missed)'}`,
      describe(reached),
    ];
    return `| ${cells.join(' | ')} |`;
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

/** A count that is worse than the best so far. */
interface Worse {
  readonly name: string;
  readonly value: number;
  readonly reached: number;
}

export function findWorse(rows: readonly Row[], reached: Reached): Worse[] {
  return [...collectCounts(rows)].flatMap(([name, value]) => {
    const known = reached[name];
    // NaN is worse, too.
    const isWorse = known !== undefined && !(value <= known + Math.abs(known) * TOLERANCE);
    return isWorse ? [{ name, value, reached: known }] : [];
  });
}

/** Takes over the better and the new counts of these rows; a worse one changes nothing. */
export function acceptCounts(rows: readonly Row[], reached: Reached): Reached {
  const counts = [...collectCounts(rows)].filter(
    ([name, value]) => value < (reached[name] ?? Number.POSITIVE_INFINITY),
  );
  const all = { ...reached, ...Object.fromEntries(counts) };
  return Object.fromEntries(
    Object.entries(all).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })),
  );
}

export function readReached(file: string): Reached {
  return JSON.parse(readFileSync(file, 'utf8')) as Reached;
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
