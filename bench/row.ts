/** What the figures are about, in the order of their tables, with the heading of each. */
export const TOPICS = {
  requests: 'Requests, and how long a date waits',
  delays: 'Delay from a change to its event',
  storage: 'Reads and writes of DynamoDB',
  cpu: 'CPU',
  memory: 'Memory',
  limits: 'Unknown rate limits',
  publishing: 'Publishing',
  backlog: 'Catching up after an outage of SNS',
  hidden: 'Records that the list leaves out',
  bundles: 'Bundles of the functions',
} as const;
export type Topic = keyof typeof TOPICS;

/** One line of the table that `npm run bench` prints. */
export interface Row {
  /** What it is about; the rows of a topic share a table. */
  readonly topic: Topic;
  readonly metric: string;
  /** What was run beside it. */
  readonly baseline: string;
  readonly baselineValue: string;
  readonly ours: string;
  readonly ratio: string;
  readonly seed: number | null;
  /** Counts are exact and must not get worse; times are told and never fail. */
  readonly limit?: { readonly value: number; readonly atMost: number };
  /** A seeded count, the same on every machine; the best value reached is kept, and a worse one fails. Less is better. */
  readonly count?: number;
}

/** A count for people: grouped when large, two decimals when small. */
export function describeCount(count: number): string {
  return Math.abs(count) >= 100 ? Math.round(count).toLocaleString('en') : String(Number(count.toFixed(2)));
}

/** Median time of a piece of work in microseconds, over several runs after a warm-up. */
export function medianMicroseconds(work: () => void, { repeats = 60, runs = 9 } = {}): number {
  for (let index = 0; index < repeats; index += 1) work();
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = process.hrtime.bigint();
    for (let index = 0; index < repeats; index += 1) work();
    times.push(Number(process.hrtime.bigint() - start) / repeats / 1_000);
  }
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
}

export function ratio(ours: number, baseline: number): string {
  const value = ours / baseline;
  return value < 0.01 ? value.toExponential(1) : value.toFixed(2);
}

/** A row of one seeded count beside the same count of its baseline. */
export function buildCountRow(values: {
  readonly topic: Topic;
  readonly metric: string;
  readonly baseline: string;
  readonly value: number;
  readonly ours: number;
  readonly seed: number;
}): Row {
  const { topic, metric, baseline, value, ours, seed } = values;
  return {
    topic,
    metric,
    baseline,
    baselineValue: describeCount(value),
    ours: describeCount(ours),
    ratio: value === 0 || !Number.isFinite(value) ? '' : ratio(ours, value),
    seed,
    count: Number(ours.toFixed(3)),
  };
}
