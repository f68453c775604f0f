import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { FeedName } from '#shared/core/feeds.ts';
import { describeRecord } from '#test/simulation/describe.ts';
import { runHistory } from '#test/simulation/history.ts';
import {
  describeFailure,
  describeTotals,
  findUnmet,
  runHistories,
  type Totals,
} from '#test/simulation/run-histories.ts';

/**
 * Simulates histories of the real core and flow, and checks each of them:
 *
 *     node workshop/bench/simulate.ts --histories 20000 --seed 1
 *     node workshop/bench/simulate.ts --histories 1 --seed 4711 --record timesheets/3_1
 *     node workshop/bench/simulate.ts --kills
 *
 * Prints a table of the pairs of features that met; with `--pairs 200` each must meet in so many histories, each fault
 * strike, and each event be told. With `--kills` it runs the planted faults instead, and prints by which history each is
 * caught.
 *
 * Exits with 1 when a history is wrong; its seed replays it.
 */
/** A run ends with so many wrong histories. */
const MAX_FAILURES = 100;
/** Files with planted faults. */
const KILLS = ['simulation/replaced-modules.test.ts', 'engines.test.ts'];

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    /** Prints what happened to this record in the first history. */
    record: { type: 'string' },
    pairs: { type: 'string', default: '0' },
    kills: { type: 'boolean', default: false },
  },
});

if (values.kills) {
  const { status } = spawnSync('npx', ['vitest', 'run', ...KILLS], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

const seed = Number(values.seed);
let reported = 0;
const startedAt = performance.now();
const totals = await runHistories({
  seed,
  histories: Number(values.histories),
  maxFailures: MAX_FAILURES,
  onProgress: report,
});
const seconds = (performance.now() - startedAt) / 1_000;
if (values.record !== undefined) {
  const [feed, id] = values.record.split('/');
  console.log(describeRecord(await runHistory(seed), { feed: feed as FeedName, id: id ?? '' }));
}
console.log(describeTotals(totals));
console.log(
  `${seconds.toFixed(1)} s, ${Math.round(totals.histories / seconds)} histories a second, from seed ${seed}`,
);
const everyPair = Number(values.pairs);
// So many histories that all pairs meet have each fault and each event as well.
const unmet = everyPair > 0 ? findUnmet(totals, everyPair) : [];
if (unmet.length > 0) console.error(`never met: ${unmet.join(', ')}`);
process.exitCode = totals.failures.length === 0 && unmet.length === 0 ? 0 : 1;

/** A long run shows how far it is, and each failure at once. */
function report({ histories, failures }: Totals): void {
  for (const failure of failures.slice(reported)) console.error(describeFailure(failure));
  reported = failures.length;
  if (histories % 1_000 === 0) console.error(`${histories} histories, ${failures.length} wrong`);
}
