import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { parseCount } from '#shared/terminal/options.ts';
import {
  describeFailure,
  describeTotals,
  findUnmet,
  runHistories,
  type Totals,
} from '#test/simulation/run-histories.ts';

/** A run ends with so many wrong histories. */
const MAX_FAILURES = 100;
const MAX_SEED = 1_000_000_000;

const { histories, seed, met } = new Command('npm run simulate --')
  .description('Simulates histories of the real core and flow, and exits with 1 when one is wrong.')
  .option('--histories <count>', 'how many; 1 with the seed of a wrong one replays it', parseCount, 2_000)
  .option('--seed <number>', 'of the first one, by default a fresh one; the next has the next', Number)
  .option('--met', 'each fault must have struck')
  .parse()
  .opts<{ readonly histories: number; readonly seed?: number; readonly met?: true }>();

const first = seed ?? randomInt(MAX_SEED);
// At once: a run that is ended can be repeated, too.
console.log(`from seed ${first}`);
let reported = 0;
const totals = await runHistories({
  ...{ seed: first, histories, maxFailures: MAX_FAILURES },
  onProgress: report,
});
console.log(describeTotals(totals));
const unmet = met ? findUnmet(totals) : [];
if (unmet.length > 0) console.error(`never met: ${unmet.join(', ')}`);
process.exitCode = totals.failures.length === 0 && unmet.length === 0 ? 0 : 1;

/** A long run shows how far it is, and each failure at once. */
function report({ histories: done, failures }: Totals): void {
  for (const failure of failures.slice(reported)) console.error(describeFailure(failure));
  reported = failures.length;
  if (done % 1_000 === 0) console.error(`${done} histories, ${failures.length} wrong`);
}
