/** Measures each figure beside its baseline, and prints one table: `npm run bench -- --help`. */
import { Command, InvalidArgumentError } from 'commander';
import { measureCpuOfEvent, measureCpuOfMass } from './measures/cpu-of-changes.ts';
import { measureCpuOfPage } from './measures/cpu-of-page.ts';
import { measureFortnight } from './measures/fortnight.ts';
import { measureMemory } from './measures/memory.ts';
import { measureMonthlyBill } from './measures/monthly-bill.ts';
import { measureStorage } from './measures/storage.ts';
import {
  acceptCounts,
  buildTable,
  type Difference,
  isReached,
  judgeCounts,
  type Row,
  readReached,
  TARGETS,
  type Target,
  writeReached,
} from './row.ts';

const REACHED = 'workshop/bench/reached.json';

interface Options {
  readonly all?: true;
  readonly only?: readonly string[];
  readonly accept?: true;
}

const program = new Command('npm run bench --')
  .description(
    'Prints each figure beside its baseline and its goal. A count that is worse than the best one so far fails; a time never does.',
  )
  .option('--all', 'run the measures that take minutes as well')
  .option('--only <targets>', `run some of ${Object.keys(TARGETS).join(',')}`, readTargets)
  .option('--accept', `keep the counts that are better than those in ${REACHED}`);

function readTargets(text: string): readonly string[] {
  const targets = text.split(',');
  const unknown = targets.find((target) => !Object.hasOwn(TARGETS, target));
  if (unknown === undefined) return targets;
  throw new InvalidArgumentError(`There is no target ${JSON.stringify(unknown)}.`);
}

/** `--only` selects measures by their targets. */
interface Measure {
  readonly targets: readonly Target[];
  /** Takes minutes: runs with `--all`, or when its target is selected. */
  readonly isHeavy: boolean;
  readonly run: () => Promise<Row[]>;
}

/** Measures of time come first, before other measures have filled the heap. */
const MEASURES: readonly Measure[] = [
  { targets: ['P4'], isHeavy: false, run: measureCpuOfPage },
  { targets: ['P6'], isHeavy: false, run: measureCpuOfEvent },
  { targets: ['P5'], isHeavy: true, run: measureCpuOfMass },
  { targets: ['P8'], isHeavy: true, run: measureMemory },
  { targets: ['P2', 'P3'], isHeavy: false, run: measureStorage },
  { targets: ['P1', 'P3', 'P9', 'P12'], isHeavy: true, run: measureFortnight },
  { targets: ['P11'], isHeavy: true, run: measureMonthlyBill },
];

const { all, only, accept } = program.parse().opts<Options>();
const isSelected = ({ targets, isHeavy }: Measure) =>
  only === undefined ? all === true || !isHeavy : targets.some((target) => only.includes(target));
const rows: Row[] = [];
for (const { targets, run } of MEASURES.filter(isSelected)) {
  const startedAt = performance.now();
  rows.push(...(await run()));
  console.error(`${targets.join(', ')}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}
console.log(buildTable(rows));

for (const { target, metric } of rows.filter((row) => !isReached(row)))
  console.error(`goal missed: ${target}: ${metric}`);
const reached = readReached(REACHED);
const { worse, better } = judgeCounts(rows, reached);
for (const each of worse) console.error(`worse: ${describe(each)}`);
for (const each of better) console.error(`better: ${describe(each)}`);
if (accept) writeReached(REACHED, acceptCounts(rows, reached));
else if (better.length > 0) console.error(`--accept keeps the better counts in ${REACHED}`);
process.exitCode = worse.length > 0 ? 1 : 0;

function describe({ name, value, reached: before }: Difference): string {
  return `${name}: ${value}, ${before === null ? 'a new count' : `the best so far is ${before}`}`;
}
