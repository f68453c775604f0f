/** Prints what a month costs by size, with notifier.config.ts or the config that NOTIFIER_CONFIG names. */
import { loadNotifierConfig } from '#infra/load-config.ts';
import { buildSizes, computeMonth, type Month } from './bill.ts';
import { FIFTY, MANY, MOST, THIRTY } from './company.ts';

const config = await loadNotifierConfig(process.env.NOTIFIER_CONFIG);
const months: Month[] = [];
for (const size of [THIRTY, FIFTY, MANY, MOST]) months.push(await computeMonth(size, config));
console.log(buildSizes(months));
