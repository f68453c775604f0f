import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { loadNotifierConfig } from '#infra/load-config.ts';
import { parseCount } from '#shared/terminal/options.ts';
import { computeMonth, describeMonth, type Month, replaceSizes } from './bill.ts';
import { FIFTY, MANY, MOST, type Size, THIRTY } from './company.ts';
import { describeCount } from './table.ts';

/** Prints what a month costs for some people with the config of this repository, or writes the table of docs/cost.md. */

const DOCUMENT = 'docs/cost.md';
const MAX_EMPLOYEES = 5_000;

const { employees, write } = new Command('npm run cost --')
  .description(
    'Prints the model of a month with notifier.config.ts, or the config that NOTIFIER_CONFIG names.',
  )
  .option('--employees <number>', `people of one connection, up to ${MAX_EMPLOYEES}`, parseCount, 2_000)
  .option('--write', `replace the table of sizes in ${DOCUMENT}`)
  .parse()
  .opts<{ readonly employees: number; readonly write?: true }>();
const config = await loadNotifierConfig(process.env.NOTIFIER_CONFIG);
if (write) {
  const months: Month[] = [];
  for (const size of [THIRTY, FIFTY, MANY, MOST]) months.push(await computeMonth(size, config));
  writeFileSync(DOCUMENT, replaceSizes(readFileSync(DOCUMENT, 'utf8'), months));
} else {
  const people = Math.min(employees, MAX_EMPLOYEES);
  const size: Size = {
    ...MANY,
    people,
    name: `${describeCount(people)} people`,
    memoryMb: config.poll.memoryMb,
  };
  console.log(describeMonth(await computeMonth(size, config)).join('\n'));
}
