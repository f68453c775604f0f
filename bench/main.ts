/**
 * Runs every measure beside its baseline and prints a table for each topic: `npm run bench`.
 *
 *     --write    put the tables between the markers in docs/cost.md
 *     --all      run the rows that take minutes as well
 *     --only storage,cpu  run these measures alone, by their names in bench/measures.ts
 *     --accept   keep the counts that are better than what was reached in bench/reached.json
 *
 * A count that is worse than what was reached, or beyond its limit, fails; a time never does.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { MEASURES } from './measures.ts';
import { acceptCounts, type Difference, judgeCounts, readReached, writeReached } from './reached.ts';
import { type Row, TOPICS } from './row.ts';

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';
const REACHED = 'bench/reached.json';

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    accept: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

const only = values.only?.split(',');
const rows: Row[] = [];
for (const { names, isHeavy, run } of MEASURES) {
  if (only !== undefined ? !names.some((name) => only.includes(name)) : isHeavy && !values.all) continue;
  const startedAt = performance.now();
  rows.push(...(await run({ all: values.all })));
  console.error(`${names.join(', ')}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}
const tables = `${buildTables(rows)}\n\n${describeScope()}`;
console.log(tables);
if (values.write) writeBetweenMarkers('docs/cost.md', tables);

const beyond = rows.filter(({ limit }) => limit !== undefined && limit.value > limit.atMost);
for (const { topic, metric, limit } of beyond)
  console.error(`${topic}: ${metric}: ${limit?.value} is more than ${limit?.atMost}`);
const reached = readReached(REACHED);
const { worse, better } = judgeCounts(rows, reached);
for (const each of worse) console.error(`worse: ${describe(each)}`);
for (const each of better) console.error(`better: ${describe(each)}`);
if (values.accept) writeReached(REACHED, acceptCounts(rows, reached));
else if (better.length > 0) console.error(`--accept keeps what is better in ${REACHED}`);
process.exitCode = beyond.length + worse.length > 0 ? 1 : 0;

function describe({ name, value, reached: before }: Difference): string {
  return `${name}: ${value}, ${before === null ? 'not counted before' : `${before} was reached`}`;
}

function describeScope(): string {
  if (only !== undefined) return `Run with \`--only ${only.join(',')}\`.`;
  return values.all
    ? 'Run with `--all`: the whole fortnight, and every row.'
    : 'Run without `--all`: some days of the fortnight, as each row says.';
}

function buildTables(all: readonly Row[]): string {
  return Object.entries(TOPICS)
    .map(([topic, heading]) => ({ heading, rows: all.filter((row) => row.topic === topic) }))
    .filter(({ rows }) => rows.length > 0)
    .map(({ heading, rows }) => `## ${heading}\n\n${buildTable(rows)}`)
    .join('\n\n');
}

function buildTable(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ metric, baseline, baselineValue, ours, ratio, seed }) =>
      `| ${[metric, baseline, baselineValue, ours, ratio, seed ?? ''].join(' | ')} |`,
  );
  return [
    '| Figure | Baseline | Its value | Ours | Ratio | Seed |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function writeBetweenMarkers(file: string, text: string): void {
  const before = readFileSync(file, 'utf8');
  const [begin, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${file} has no ${BEGIN} ... ${END}`);
  writeFileSync(file, `${before.slice(0, begin + BEGIN.length)}\n${text}\n${before.slice(end)}`);
}
