import { spawnSync } from 'node:child_process';
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
const KILLS = ['simulation/planted-faults.long.test.ts'];

interface Options {
  readonly histories: number;
  readonly seed: number;
  readonly met?: true;
  readonly kills?: true;
}

const { histories, seed, met, kills } = new Command('npm run simulate --')
  .description('Simulates histories of the real core and flow, and exits with 1 when one is wrong.')
  .option('--histories <count>', 'how many', parseCount, 2_000)
  .option('--seed <number>', 'of the first one; that of a wrong one replays it', Number, 1)
  .option('--met', 'each fault must have struck')
  .option('--kills', 'run the planted faults instead, and print which history catches each')
  .parse()
  .opts<Options>();

if (kills) {
  const { status } = spawnSync('npx', ['vitest', 'run', ...KILLS], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

let reported = 0;
const startedAt = performance.now();
const totals = await runHistories({ seed, histories, maxFailures: MAX_FAILURES, onProgress: report });
const seconds = (performance.now() - startedAt) / 1_000;
console.log(describeTotals(totals));
console.log(
  `${seconds.toFixed(1)} s, ${Math.round(totals.histories / seconds)} histories a second, from seed ${seed}`,
);
const unmet = met === true ? findUnmet(totals) : [];
if (unmet.length > 0) console.error(`never met: ${unmet.join(', ')}`);
process.exitCode = totals.failures.length === 0 && unmet.length === 0 ? 0 : 1;

/** A long run shows how far it is, and each failure at once. */
function report({ histories, failures }: Totals): void {
  for (const failure of failures.slice(reported)) console.error(describeFailure(failure));
  reported = failures.length;
  if (histories % 1_000 === 0) console.error(`${histories} histories, ${failures.length} wrong`);
}
