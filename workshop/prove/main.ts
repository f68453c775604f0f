#!/usr/bin/env node
/** Runs the figures of docs/reliability.md that can be counted: `npm run prove -- zones --runs 1000`. */
import { parseArgs } from 'node:util';
import { faults } from './faults.ts';
import { hostile } from './hostile.ts';
import { outstanding } from './outstanding.ts';
import { overlaps } from './overlaps.ts';
import type { Proof } from './proof.ts';
import { zones } from './zones.ts';

const PROOFS: Readonly<Record<string, Proof>> = { faults, overlaps, zones, hostile, outstanding };
const DEFAULT_RUNS = 10_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string' },
    all: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
});
const names = positionals.length === 0 ? Object.keys(PROOFS) : positionals;
const unknown = names.filter((name) => !(name in PROOFS));
if (unknown.length > 0) {
  process.stderr.write(
    `usage: npm run prove -- [${Object.keys(PROOFS).join('|')}]... [--runs N | --all] [--seed N]\nthere is no ${unknown.join(', ')}\n`,
  );
  process.exit(2);
}

const runs = values.all ? Number.POSITIVE_INFINITY : Number(values.runs ?? DEFAULT_RUNS);
for (const name of names) {
  const proof = PROOFS[name];
  if (proof === undefined) continue;
  const startedAt = performance.now();
  const { ran, of, failures, counts = {} } = await proof.run({ runs, seed: Number(values.seed) });
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
