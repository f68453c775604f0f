/** Runs every measure beside its baseline and prints a table for each topic: `npm run bench -- --help`. */
import { Command, InvalidArgumentError } from 'commander';
import { measureChangeCost } from './measures/change-cost.ts';
import { measureFortnightDelays } from './measures/fortnight-delays.ts';
import { measureLaptop } from './measures/laptop.ts';
import { measureRosterMemory, measureScanMemory } from './measures/memory.ts';
import { measureMonthlyBill } from './measures/monthly-bill.ts';
import { measurePageCost } from './measures/page-cost.ts';
import { measurePlanningSize } from './measures/planning-size.ts';
import { measureRateLimits } from './measures/rate-limits.ts';
import { measureRealFlow } from './measures/real-flow.ts';
import { measureSlowSource } from './measures/slow-source.ts';
import { measureStorage } from './measures/storage.ts';
import {
  acceptCounts,
  buildTables,
  type Difference,
  judgeCounts,
  judgeGoal,
  type Row,
  readReached,
  TOPICS,
  type Topic,
  writeReached,
} from './row.ts';

const REACHED = 'workshop/bench/reached.json';

const TOPIC_NAMES = Object.keys(TOPICS);

interface Options {
  readonly all?: true;
  readonly only?: readonly string[];
  readonly accept?: true;
}

const program = new Command('npm run bench --')
  .description(
    'Prints a table for each topic: each figure beside its baseline and its goal. A count that is worse than the best one so far fails, and so does another figure that is beyond its goal; a time never does.',
  )
  .option('--all', 'run the measures that take minutes as well')
  .option('--only <topics>', `run all measures of some topics: ${TOPIC_NAMES.join(',')}`, readTopics)
  .option('--accept', `keep the counts that are better than those in ${REACHED}`);

function readTopics(text: string): readonly string[] {
  const topics = text.split(',');
  const unknown = topics.find((topic) => !TOPIC_NAMES.includes(topic));
  if (unknown === undefined) return topics;
  throw new InvalidArgumentError(`There is no topic ${JSON.stringify(unknown)}.`);
}

/** `--only` selects measures by their topics. */
interface Measure {
  readonly topics: readonly Topic[];
  /** Takes more than a minute: runs with `--all`, or when its topic is selected. */
  readonly isHeavy: boolean;
  readonly run: () => Row[] | Promise<Row[]>;
}

/** Measures of time and heap come first, before other measures have filled the heap. */
const MEASURES: readonly Measure[] = [
  { topics: ['cpu'], isHeavy: false, run: measurePageCost },
  { topics: ['cpu'], isHeavy: false, run: measureChangeCost },
  { topics: ['memory'], isHeavy: false, run: measureScanMemory },
  { topics: ['memory'], isHeavy: true, run: measureRosterMemory },
  { topics: ['memory', 'cpu'], isHeavy: true, run: measurePlanningSize },
  { topics: ['limits'], isHeavy: false, run: measureRateLimits },
  { topics: ['storage'], isHeavy: false, run: measureStorage },
  { topics: ['requests', 'delays'], isHeavy: true, run: measureFortnightDelays },
  { topics: ['slow'], isHeavy: true, run: measureSlowSource },
  { topics: ['fortnight'], isHeavy: true, run: measureRealFlow },
  { topics: ['laptop'], isHeavy: true, run: measureLaptop },
  { topics: ['bill'], isHeavy: true, run: measureMonthlyBill },
];

const { all, only, accept } = program.parse().opts<Options>();
const selected = MEASURES.filter(isSelected);
const rows: Row[] = [];
for (const [index, { topics, run }] of selected.entries()) {
  const startedAt = performance.now();
  console.error(`measure ${index + 1} of ${selected.length}: ${topics.join(', ')}, ${run.name} ...`);
  rows.push(...(await run()));
  console.error(`${topics.join(', ')}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}
console.log(buildTables(rows));

const beyond = rows.filter((row) => judgeGoal(row) === 'failed');
for (const row of rows.filter((each) => judgeGoal(each) !== 'reached'))
  console.error(
    `goal ${judgeGoal(row)}: ${row.topic}: ${row.metric}: ${row.goal?.value}, at most ${row.goal?.atMost}`,
  );
const reached = readReached(REACHED);
const { worse, better } = judgeCounts(rows, reached);
for (const each of worse) console.error(`worse: ${describe(each)}`);
for (const each of better) console.error(`better: ${describe(each)}`);
if (accept) writeReached(REACHED, acceptCounts(rows, reached));
else if (better.length > 0) console.error(`--accept keeps the better counts in ${REACHED}`);
process.exitCode = beyond.length + worse.length > 0 ? 1 : 0;

function isSelected({ topics, isHeavy }: Measure): boolean {
  return only === undefined ? all === true || !isHeavy : topics.some((topic) => only.includes(topic));
}

function describe({ name, value, reached: before }: Difference): string {
  return `${name}: ${value}, ${before === null ? 'a new count' : `the best so far is ${before}`}`;
}
