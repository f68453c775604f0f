#!/usr/bin/env node
import { Argument, Command } from 'commander';
import { parseCount } from '#shared/terminal/options.ts';
import { faults } from './faults.ts';
import { hostile } from './hostile.ts';
import { overlaps } from './overlaps.ts';
import type { Proof } from './proof.ts';
import { stillOpen } from './still-open.ts';
import { zones } from './zones.ts';

const PROOFS: Readonly<Record<string, Proof>> = { faults, overlaps, zones, hostile, 'still-open': stillOpen };

interface Options {
  readonly runs: number;
  readonly all?: true;
  readonly seed: number;
}

const program = new Command('npm run prove --')
  .description('Runs the figures of docs/reliability.md that can be counted.')
  .addArgument(new Argument('[proof...]', 'which (default: all)').choices(Object.keys(PROOFS)))
  .option('--runs <count>', 'how many of each', parseCount, 10_000)
  .option('--all', 'all that there are of each')
  .option('--seed <number>', 'of those that are drawn', Number, 1)
  .parse();
const { runs: limit, all, seed } = program.opts<Options>();
const runs = all === true ? Number.POSITIVE_INFINITY : limit;
const names = program.args.length === 0 ? Object.keys(PROOFS) : program.args;
for (const name of names) {
  const proof = PROOFS[name];
  if (proof === undefined) continue;
  const startedAt = performance.now();
  const { ran, of, failures, counts = {} } = await proof.run({ runs, seed });
  const seconds = (performance.now() - startedAt) / 1_000;
  const total = of === null ? '' : ` of ${format(of)}`;
  const others = Object.entries(counts).map(([what, count]) => `, ${format(count)} ${what}`);
  process.stdout.write(
    `${name}: ${format(ran)}${total} ${proof.cases} in ${seconds.toFixed(1)} s${others.join('')}: ${failures.length === 0 ? 'none failed' : 'FAILED'}\n`,
  );
  for (const failure of failures) process.stdout.write(`  ${failure}\n`);
  if (failures.length > 0) process.exitCode = 1;
}

function format(count: number): string {
  return count.toLocaleString('en');
}
