/**
 * Writes what is published to npm, each package into a folder of its own below the given one: all, or those named. With
 * `--api` also what they promise, into `workshop/packages/api`, where a test compares it.
 *
 *     node workshop/packages/main.ts dist --api
 *     node workshop/packages/main.ts dist workforce-change-notifier
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { apiReportOf, digestOf, PUBLIC_MODULES, renderApiReport } from './api-report.ts';
import { writeCreator } from './creator.ts';
import { writeOperators } from './operators.ts';
import { writeSubscribers } from './subscribers.ts';

const WRITERS = {
  'workforce-change-notifier': writeSubscribers,
  'workforce-change-notifier-cdk': writeOperators,
  'create-workforce-notifier': writeCreator,
};

const { values, positionals } = parseArgs({
  options: { api: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [target = 'dist', ...chosen] = positionals;
for (const [name, write] of Object.entries(WRITERS)) {
  if (chosen.length === 0 || chosen.includes(name)) write(name, join(resolve(target), name));
}
if (values.api) {
  for (const [name, modules] of Object.entries(PUBLIC_MODULES)) {
    const report = renderApiReport(join(resolve(target), name), modules);
    writeFileSync(apiReportOf(name), report);
    console.log(`${name} ${digestOf(report)}`);
  }
}
