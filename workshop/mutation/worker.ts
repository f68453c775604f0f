#!/usr/bin/env node
/** A process of a mutation run: vitest with one worker. `main.ts` starts it, and ends it when a mutant hangs. */
import { readFileSync } from 'node:fs';
import { startVitest } from 'vitest/node';
import type { Job } from './job.ts';
import { mutateModule } from './mutants.ts';

const job = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Job;
const firstIds = new Map<string, number>();
for (const { path, id } of job.mutants) if (!firstIds.has(path)) firstIds.set(path, id);

await startVitest(
  'test',
  [],
  {
    config: false,
    root: job.root,
    include: ['workshop/mutation/drive.ts'],
    watch: false,
    // Its keys know nothing of mutants: it would give out modules of another run.
    fsModuleCache: false,
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 0,
    reporters: ['dot'],
    dangerouslyIgnoreUnhandledErrors: true,
    provide: { job },
  },
  {
    plugins: [{ name: 'mutation', enforce: 'pre', transform }],
  },
);

function transform(text: string, id: string): string | null {
  const path = (id.split('?')[0] ?? id).replace(`${job.root}/`, '');
  const firstId = firstIds.get(path);
  if (firstId !== undefined) return mutateModule(text, path, firstId).text;
  if (!path.startsWith('test/')) return null;
  return text.replaceAll(/from 'vitest';$/gm, "from '#workshop/mutation/collected.ts';");
}
