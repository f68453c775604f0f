/** Topics of the figures in the order of their tables, with the heading of each. */
export const TOPICS = {
  requests: 'Requests, and how long a date waits',
  slow: 'A source that is slower than needed',
  delays: 'Delay from a change to its event',
  storage: 'Reads and writes of DynamoDB',
  fortnight: 'The real flow over hours of the fortnight',
  cpu: 'CPU',
  memory: 'Memory',
  limits: 'Unknown rate limits',
  publishing: 'Publishing',
  backlog: 'Catching up after an outage of SNS',
  bundles: 'Bundles of the functions',
  console: 'The console',
  bill: 'The bill',
} as const;
export type Topic = keyof typeof TOPICS;

/** One line of a table that `npm run bench` prints. */
export interface Row {
  readonly topic: Topic;
  readonly metric: string;
  /** What was measured in the same process for comparison. */
  readonly baseline: string;
  readonly baselineValue: string;
  readonly ours: string;
  readonly ratio: string;
  readonly seed: number | null;
  /** A fixed bound; a value beyond it fails the bench. */
  readonly limit?: { readonly value: number; readonly atMost: number };
  /** A seeded count, the same on every machine. Less is better; worse than the best so far fails the bench. */
  readonly count?: number;
}

/** Grouped digits from 100 on, at most two decimals below. */
export function describeCount(count: number): string {
  return Math.abs(count) >= 100 ? Math.round(count).toLocaleString('en') : String(Number(count.toFixed(2)));
}

export function ratio(ours: number, baseline: number): string {
  const value = ours / baseline;
  return value < 0.01 ? value.toExponential(1) : value.toFixed(2);
}

/** A row of one seeded count, rounded to three decimals, beside the same count of its baseline. */
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
