import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { PROGRAM_ROOT } from '#infra/project-root.ts';

/** Declarations of the public modules of each package that has some. */
export const PUBLIC_MODULES = {
  'workforce-change-notifier': ['kit/main.d.ts', 'kit/testing.d.ts'],
  'workforce-change-notifier-cdk': ['infra/notifier-stack.d.ts', 'infra/config.d.ts'],
} as const;

const COMMENT = /[ \t]*\/\*\*[\s\S]*?\*\/\n?/g;
const REEXPORT = /^export (?:type )?\{[^}]*\} from '(?<path>\.[^']+)\.js';$/gm;

/**
 * What a package promises: the declarations of its public modules and of what they export again, without comments. The
 * members of events are in `docs/schemas` instead.
 */
export function renderApiReport(folder: string, modules: readonly string[]): string {
  const files = modules.flatMap((module) => {
    const path = join(folder, module);
    const text = readFileSync(path, 'utf8');
    const again = [...text.matchAll(REEXPORT)].map(({ groups }) =>
      resolve(path, '..', `${groups?.path ?? ''}.d.ts`),
    );
    return [path, ...again];
  });
  const parts = [...new Set(files)].map(
    (file) => `// ${relative(folder, file)}\n${readFileSync(file, 'utf8').replaceAll(COMMENT, '').trim()}\n`,
  );
  return parts.join('\n');
}

/** The promise of a package as it was last agreed to. */
export function apiReportOf(name: string): string {
  return join(PROGRAM_ROOT, 'workshop/packages/api', `${name}.txt`);
}

/** Names a public surface in the change list. */
export function digestOf(report: string): string {
  return createHash('sha256').update(report).digest('hex').slice(0, 12);
}
