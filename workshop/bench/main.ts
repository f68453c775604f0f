/** Measures each figure beside its baseline, and prints one table: `npm run bench -- --help`. */
import { Command, InvalidArgumentError } from 'commander';
import { measureBills } from './bill.ts';
import { MANY, MOST } from './company.ts';
import { measureClosings, measureIdle, measureRun } from './delays.ts';
import { measureMemory } from './memory.ts';
import { measurePace, measureStart, measureSynth } from './programs.ts';
import { measureCpuOfEvent, measureCpuOfMass, measureCpuOfPage, measureStorage } from './scenes.ts';
import {
  acceptCounts,
  buildTable,
  findWorse,
  isReached,
  type Row,
  readReached,
  TARGETS,
  type Target,
  writeReached,
} from './table.ts';

const REACHED = 'workshop/bench/reached.json';

/** Measures of time come first, before other measures have filled the heap. */
const MEASURES: readonly (readonly [targets: readonly Target[], run: () => Promise<Row[]>])[] = [
  [['P14'], measureStart],
  [['P15'], measureSynth],
  [['P4'], measureCpuOfPage],
  [['P6'], measureCpuOfEvent],
  [['P5'], measureCpuOfMass],
  [['P8'], measureMemory],
  [['P2', 'P3'], measureStorage],
  [['P7'], measurePace],
  [['P10'], measureClosings],
  [['P13'], measureIdle],
  [['P1', 'P3', 'P9'], () => measureRun(MANY, 200)],
  [['P1', 'P3', 'P9'], () => measureRun(MANY, 1_000)],
  [['P1', 'P3', 'P9', 'P12'], () => measureRun(MOST, 200)],
  [['P1', 'P3', 'P9', 'P12'], () => measureRun(MOST, 1_000)],
  [['P11'], measureBills],
];

const { only, accept } = new Command('npm run bench --')
  .description(
    'Prints each figure beside its baseline and its goal. A count that is worse than the best one so far fails; a time never does.',
  )
  .option('--only <targets>', `some of ${Object.keys(TARGETS).join(',')}`, readTargets)
  .option('--accept', `keep the counts that are new or better in ${REACHED}`)
  .parse()
  .opts<{ readonly only?: readonly string[]; readonly accept?: true }>();

function readTargets(text: string): readonly string[] {
  const targets = text.split(',');
  const unknown = targets.find((target) => !Object.hasOwn(TARGETS, target));
  if (unknown === undefined) return targets;
  throw new InvalidArgumentError(`There is no target ${JSON.stringify(unknown)}.`);
}

const rows: Row[] = [];
for (const [targets, run] of MEASURES) {
  if (only !== undefined && !targets.some((target) => only.includes(target))) continue;
  const startedAt = performance.now();
  rows.push(...(await run()));
  console.error(`${targets.join(', ')}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}
console.log(buildTable(rows));

for (const { target, metric } of rows.filter((row) => !isReached(row)))
  console.error(`goal missed: ${target}: ${metric}`);
const reached = readReached(REACHED);
const worse = findWorse(rows, reached);
for (const { name, value, reached: best } of worse)
  console.error(`worse: ${name}: ${value}, the best so far is ${best}`);
if (accept) writeReached(REACHED, acceptCounts(rows, reached));
process.exitCode = worse.length > 0 ? 1 : 0;
