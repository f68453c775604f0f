/**
 * Writes what is published to npm, each package into a folder of its own below the given one:
 *
 *     node workshop/packages/main.ts dist
 */
import { join, resolve } from 'node:path';
import { writeCreator } from './creator.ts';
import { writeOperators } from './operators.ts';
import { writeSubscribers } from './subscribers.ts';

const WRITERS = {
  'workforce-change-notifier': writeSubscribers,
  'workforce-change-notifier-cdk': writeOperators,
  'create-workforce-notifier': writeCreator,
};

const folder = resolve(process.argv[2] ?? 'dist');
for (const [name, write] of Object.entries(WRITERS)) write(name, join(folder, name));
