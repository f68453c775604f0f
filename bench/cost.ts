/**
 * Prints what a month costs for an organisation of a size, with the config of this repository:
 *
 *     npm run cost -- --employees 2000 --calendars 2
 *     NOTIFIER_CONFIG=other.config.ts npm run cost -- --employees 50 --json
 */
import { loadNotifierConfig } from '#infra/load-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { describeMonth } from './bill/describe-month.ts';
import { modelMonth } from './bill/month.ts';
import { HELP, readCostOptions } from './bill/options.ts';
import { createSize } from './fortnight/trace/size.ts';

try {
  const options = readCostOptions(process.argv.slice(2));
  if (options === null) console.log(HELP);
  else {
    const file = process.env.NOTIFIER_CONFIG;
    const config = await loadNotifierConfig(file);
    const size = createSize(options);
    console.error(`modelling ${size.name}; this takes a while`);
    const month = await modelMonth(size, config);
    const lines = options.json ? [JSON.stringify(month)] : describeMonth(month, file ?? 'notifier.config.ts');
    console.log(lines.join('\n'));
  }
} catch (error) {
  if (!(error instanceof NotifierError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
