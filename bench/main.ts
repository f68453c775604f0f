/**
 * Runs every measure beside its baseline and prints one table: `npm run bench`. With `--write` the table also goes
 * between the markers in README.md. A count beyond its limit fails; a time never does.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { measureBundles } from './measures/bundles.ts';
import { measureChangeCost } from './measures/change-cost.ts';
import { measurePageCost } from './measures/page-cost.ts';
import { measurePublishing } from './measures/publishing.ts';
import { measureRateLimits } from './measures/rate-limits.ts';
import { measureScanMemory } from './measures/scan-memory.ts';
import { measureStorage } from './measures/storage.ts';
import type { Row } from './row.ts';

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

const rows = [
  ...(await measurePageCost()),
  ...(await measureChangeCost()),
  ...measureScanMemory(),
  ...(await measureBundles()),
  ...(await measurePublishing()),
  ...(await measureStorage()),
  ...(await measureRateLimits()),
];
const table = tableOf(rows);
console.log(table);
if (process.argv.includes('--write')) writeBetweenMarkers('README.md', table);

const worse = rows.filter(({ limit }) => limit !== undefined && limit.value > limit.atMost);
for (const { id, metric, limit } of worse)
  console.error(`${id} ${metric}: ${limit?.value} is more than ${limit?.atMost}`);
process.exitCode = worse.length > 0 ? 1 : 0;

function tableOf(all: readonly Row[]): string {
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
