import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Topics of the figures in the order of their tables: the heading of each, what its figures include, and what not. */
export const TOPICS = {
  requests: {
    heading: 'Requests, and how long a date waits',
    note: 'All requests count: pages, records by id, lists of pay periods, employees and departments three times an hour, a token an hour for each function, and on the first days each employee once, of whom it must be asked in which of two pay calendars they are. The first half hour, which fills the table, does not. When changes are expected was learned in a week of 200 people, but for the rows of the first days.',
  },
  slow: {
    heading: 'A source that is slower than needed',
    note: 'The longest time between two reads of one date, by what is likely to change on it. What is needed is what the planner asks of a source without a limit.',
  },
  delays: {
    heading: 'Delay from a change to its event',
    note: 'From the moment at which the source has a change: waiting for the poll, 300 ms for each page, what the function computes with its memory, 10 ms for each request to the table, 25 ms for each to SNS, and the follow-up message are in it. To a webhook that gets every event: 100 ms from SNS to a function, and 500 ms for a batch of ten, two at a time. To Slack: alerts are released every minute. Retries, and a digest of many alerts, are not in it.',
  },
  storage: {
    heading: 'Reads and writes of DynamoDB',
    note: 'Units as the embedded DynamoDB counts them, for the feed of timesheets. What deliveries read and write is not in it.',
  },
  fortnight: {
    heading: 'The real flow over hours of the fortnight',
    note: 'Both feeds, every minute, with leases, states and the note of what was published. The small imitation of a sync by hashes detects and stores; it neither delivers nor survives a crash.',
  },
  cpu: {
    heading: 'CPU',
    note: 'Process time, the median of several runs. The other detectors store their rows; they have no order, no outbox and no delivery.',
  },
  memory: {
    heading: 'Memory',
    note: 'Growth is of the live heap after a garbage collection. The memory of a process is what Lambda bounds: it holds garbage too, and 60 MB of the program of Node. Everything but the function is in other processes, and Node has the options that Lambda gives it.',
  },
  limits: {
    heading: 'Unknown rate limits',
    note: 'Virtual time, one client, and a limiter of which it knows nothing. What is possible is what the limiter admits at most. The goal is of what is refused, in percent.',
  },
  laptop: {
    heading: 'On one machine, on a real source',
    note: '`npm start` on a company of 30 people in another process, of which nothing changes; without npm itself. Logs that have a bound: 4 MB of write-ahead log for each of three databases, and 10 MB of what the functions log. On a machine with other work the CPU of a start says more than its time.',
  },
  bill: {
    heading: 'The bill',
    note: 'Without any free tier, unless it says so. All hours of the fortnight count: each stands, by the square root of its changes, between the part of which delays are told and some of a night. Reads are those of a new table. Taxes, support and what receivers of your own cost are not in it.',
  },
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
  /** What the value should be at most. Beyond it, a row without `count` fails the bench, unless it is a time. */
  readonly goal?: { readonly value: number; readonly atMost: number; readonly isTime?: true };
  /** A seeded count, the same on every machine. Less is better; worse than the best so far fails the bench. */
  readonly count?: number;
}

/** Whether a row is beyond its goal, and whether that fails the bench. */
export function judgeGoal({ goal, count }: Pick<Row, 'goal' | 'count'>): 'reached' | 'missed' | 'failed' {
  if (goal === undefined || goal.value <= goal.atMost) return 'reached';
  return count !== undefined || goal.isTime ? 'missed' : 'failed';
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
  readonly atMost?: number | undefined;
}): Row {
  const { topic, metric, baseline, value, ours, seed, atMost } = values;
  return {
    topic,
    metric,
    baseline,
    baselineValue: describeCount(value),
    ours: describeCount(ours),
    ratio: value === 0 || !Number.isFinite(value) ? '' : ratio(ours, value),
    seed,
    count: Number(ours.toFixed(3)),
    ...(atMost === undefined ? {} : { goal: { value: ours, atMost } }),
  };
}

/** One Markdown table a topic, in the order of `TOPICS`, under its heading and what its figures include. */
export function buildTables(rows: readonly Row[]): string {
  return Object.entries(TOPICS)
    .map(([topic, texts]) => ({ ...texts, group: rows.filter((row) => row.topic === topic) }))
    .filter(({ group }) => group.length > 0)
    .map(({ heading, note, group }) => `## ${heading}\n\n${note}\n\n${buildTable(group)}`)
    .join('\n\n');
}

function buildTable(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ metric, baseline, baselineValue, ours, ratio, goal, seed }) =>
      `| ${[metric, baseline, baselineValue, ours, ratio, goal === undefined ? '' : describeCount(goal.atMost), seed ?? ''].join(' | ')} |`,
  );
  return [
    '| Figure | Baseline | Its value | Notifier | Ratio | Goal | Seed |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
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
