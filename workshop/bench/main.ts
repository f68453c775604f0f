/** Measures each figure beside its baseline, and prints one table: all, or those of the targets that are named. */
import { measureBills } from './bill.ts';
import { MANY, MOST } from './company.ts';
import { measureMemory } from './memory.ts';
import { measurePace, measureStart, measureSynth } from './programs.ts';
import { measureClosings, measureIdle, measureRun } from './runs.ts';
import { measureCpuOfEvent, measureCpuOfMass, measureCpuOfPage, measureStorage } from './scenes.ts';
import { buildTable, compareCounts, type Row, readReached, writeReached } from './table.ts';

const REACHED = 'workshop/bench/reached.json';

/** Measures of time come first, before other measures have filled the heap. */
const MEASURES: readonly (readonly [targets: string, run: () => Promise<Row[]>])[] = [
  ['P14', measureStart],
  ['P15', measureSynth],
  ['P4', measureCpuOfPage],
  ['P6', measureCpuOfEvent],
  ['P5', measureCpuOfMass],
  ['P8', measureMemory],
  ['P2 P3', measureStorage],
  ['P7', measurePace],
  ['P10', measureClosings],
  ['P13', measureIdle],
  ['P1 P3 P9', () => measureRun(MANY, 200)],
  ['P1 P3 P9', () => measureRun(MANY, 1_000)],
  ['P1 P3 P9 P12', () => measureRun(MOST, 200)],
  ['P1 P3 P9 P12', () => measureRun(MOST, 1_000)],
  ['P11', measureBills],
];

const wanted = process.argv.slice(2);
const rows: Row[] = [];
for (const [targets, run] of MEASURES) {
  if (wanted.length > 0 && !targets.split(' ').some((target) => wanted.includes(target))) continue;
  const startedAt = performance.now();
  rows.push(...(await run()));
  console.error(`${targets}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}
if (rows.length === 0) throw new Error(`there is no target ${wanted.join(' ')}`);
console.log(buildTable(rows));
const { worse, best } = compareCounts(rows, readReached(REACHED));
for (const each of worse) console.error(`worse: ${each}`);
writeReached(REACHED, best);
process.exitCode = worse.length > 0 ? 1 : 0;
