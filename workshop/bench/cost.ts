/**
 * Prints what a month costs for an organisation of a size, with the config of this repository:
 *
 *     npm run cost -- --employees 2000 --calendars 2
 *     NOTIFIER_CONFIG=other.config.ts npm run cost -- --employees 50 --json
 *     npm run cost -- --write    # replaces the table of three sizes in README.md
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { loadNotifierConfig } from '#infra/load-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { describeMonth, replaceSizes } from './bill/describe-month.ts';
import { computeMonth, type Month } from './bill/month.ts';
import { HELP, readCostOptions } from './bill/options.ts';
import { createSize, type FortnightSize } from './fortnight/trace/size.ts';

const DOCUMENT = 'README.md';
/** Sizes that the README shows. */
const SHOWN = [
  { people: 50, calendars: 1 },
  { people: 2_000, calendars: 2 },
  { people: 50_000, calendars: 2 },
];

try {
  await run();
} catch (error) {
  if (!(error instanceof NotifierError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const options = readCostOptions(process.argv.slice(2));
  if (options === null) {
    console.log(HELP);
    return;
  }
  if (options.kind === 'write') {
    const months: Month[] = [];
    for (const shown of SHOWN) months.push(await compute(createSize(shown)));
    writeFileSync(DOCUMENT, replaceSizes(readFileSync(DOCUMENT, 'utf8'), months));
    return;
  }
  const month = await compute(createSize(options));
  const file = process.env.NOTIFIER_CONFIG ?? 'notifier.config.ts';
  console.log(options.json ? JSON.stringify(month) : describeMonth(month, file).join('\n'));
}

async function compute(size: FortnightSize): Promise<Month> {
  console.error(`running the flow for ${size.name}; this takes minutes`);
  return computeMonth(size, await loadNotifierConfig(process.env.NOTIFIER_CONFIG));
}
