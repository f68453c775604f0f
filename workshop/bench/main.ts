/**
 * Runs every measure beside its baseline and prints a table for each topic: `npm run bench`.
 *
 *     --all      run the measures that take minutes as well
 *     --only storage,cpu  run all measures of these topics, which `workshop/bench/row.ts` lists
 *     --write    replace the tables in docs/cost.md of the topics that were measured completely
 *     --accept   keep the counts that are better than those in workshop/bench/reached.json
 *
 * A count that is worse than the best one so far, or beyond its limit, fails; a time never does.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { MEASURES, type Measure } from './measures.ts';
import { acceptCounts, type Difference, judgeCounts, readReached, writeReached } from './reached.ts';
import { type Row, TOPICS } from './row.ts';
import { buildTables, joinTables, replaceTables } from './tables.ts';

const DOCUMENT = 'docs/cost.md';
const REACHED = 'workshop/bench/reached.json';

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    accept: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

const only = values.only?.split(',');
for (const topic of only ?? [])
  if (!(topic in TOPICS)) throw new Error(`--only takes ${Object.keys(TOPICS).join(', ')}, not ${topic}`);
const selected = MEASURES.filter(isSelected);
const rows: Row[] = [];
for (const { topics, run } of selected) {
  const startedAt = performance.now();
  rows.push(...(await run({ all: values.all })));
  console.error(`${topics.join(', ')}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}
const tables = buildTables(rows);
console.log(joinTables(tables));
if (values.write) writeTables();

const beyond = rows.filter(({ limit }) => limit !== undefined && limit.value > limit.atMost);
for (const { topic, metric, limit } of beyond)
  console.error(`${topic}: ${metric}: ${limit?.value} is more than ${limit?.atMost}`);
const reached = readReached(REACHED);
const { worse, better } = judgeCounts(rows, reached);
for (const each of worse) console.error(`worse: ${describe(each)}`);
for (const each of better) console.error(`better: ${describe(each)}`);
if (values.accept) writeReached(REACHED, acceptCounts(rows, reached));
else if (better.length > 0) console.error(`--accept keeps the better counts in ${REACHED}`);
process.exitCode = beyond.length + worse.length > 0 ? 1 : 0;

function isSelected({ topics, isHeavy }: Measure): boolean {
  return only === undefined ? values.all || !isHeavy : topics.some((topic) => only.includes(topic));
}

/** A topic of which a measure was left out keeps the table it has. */
function writeTables(): void {
  const incomplete = MEASURES.filter((measure) => !selected.includes(measure)).flatMap(
    ({ topics }) => topics,
  );
  for (const topic of incomplete)
    if (tables.delete(topic)) console.error(`${topic}: table kept, --only ${topic} measures all of it`);
  writeFileSync(DOCUMENT, replaceTables(readFileSync(DOCUMENT, 'utf8'), tables));
}

function describe({ name, value, reached: before }: Difference): string {
  return `${name}: ${value}, ${before === null ? 'a new count' : `the best so far is ${before}`}`;
}
