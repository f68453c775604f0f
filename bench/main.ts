/**
 * Runs every measure beside its baseline and prints one table: `npm run bench`.
 *
 *     --write    put the table between the markers in docs/cost.md
 *     --all      run the rows that take minutes as well
 *     --only P3  run the measures of these figures alone (P3,P7)
 *     --accept   keep the counts that are better than what was reached in bench/reached.json
 *
 * A count that is worse than what was reached, or beyond its limit, fails; a time never does.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { MEASURES } from './measures.ts';
import { acceptCounts, type Difference, judgeCounts, readReached, writeReached } from './reached.ts';
import type { Row } from './row.ts';

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
for (const { ids, isHeavy, run } of MEASURES) {
  if (only !== undefined ? !ids.some((id) => only.includes(id)) : isHeavy && !values.all) continue;
  const startedAt = performance.now();
  rows.push(...(await run({ all: values.all })));
  console.error(`${ids.join(', ')}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}
const table = `${buildTable(rows)}\n\n${describeScope()}`;
console.log(table);
if (values.write) writeBetweenMarkers('docs/cost.md', table);

const beyond = rows.filter(({ limit }) => limit !== undefined && limit.value > limit.atMost);
for (const { id, metric, limit } of beyond)
  console.error(`${id} ${metric}: ${limit?.value} is more than ${limit?.atMost}`);
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

function buildTable(all: readonly Row[]): string {
  const lines = [...all]
    .sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))
    .map((row) => {
      const { id, metric, baseline, baselineValue, ours, ratio, seed } = row;
      return `| ${[id, metric, baseline, baselineValue, ours, ratio, seed ?? ''].join(' | ')} |`;
    });
  return [
    '| # | Metric | Baseline | Its value | Ours | Ratio | Seed |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function writeBetweenMarkers(file: string, text: string): void {
  const before = readFileSync(file, 'utf8');
  const [begin, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${file} has no ${BEGIN} ... ${END}`);
  writeFileSync(file, `${before.slice(0, begin + BEGIN.length)}\n${text}\n${before.slice(end)}`);
}
