import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { loadNotifierConfig } from '#infra/load-config.ts';
import { buildSizes, computeMonth, type Month, replaceSizes } from './bill.ts';
import { FIFTY, MANY, MOST, THIRTY } from './company.ts';

const DOCUMENT = 'docs/cost.md';

const { write } = new Command('npm run cost --')
  .description(
    'Prints what a month costs by size, with notifier.config.ts or the config that NOTIFIER_CONFIG names.',
  )
  .option('--write', `replace the table in ${DOCUMENT}`)
  .parse()
  .opts<{ readonly write?: true }>();
const config = await loadNotifierConfig(process.env.NOTIFIER_CONFIG);
const months: Month[] = [];
for (const size of [THIRTY, FIFTY, MANY, MOST]) months.push(await computeMonth(size, config));
const table = buildSizes(months);
console.log(table);
if (write) writeFileSync(DOCUMENT, replaceSizes(readFileSync(DOCUMENT, 'utf8'), table));
