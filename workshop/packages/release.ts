import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { PROGRAM_ROOT } from '#infra/project-root.ts';

/** What a release is made of, as it lies here. What the packages promise is held by their tests. */
export interface Release {
  /** Of `package.json`. */
  readonly version: string;
  /** Of `package-lock.json`. */
  readonly lockedVersion: string;
  readonly changes: string;
  /** Lines of `git status --porcelain`. */
  readonly uncommitted: readonly string[];
}

const SECTION = /^## (?<version>\S+)(?:, (?<date>.+))?$/m;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Why this is no release yet, each with how to mend it; empty when it is one. */
export function findProblems(release: Release): string[] {
  const { version, lockedVersion, uncommitted } = release;
  return [
    ...(lockedVersion === version
      ? []
      : [`package-lock.json is of ${lockedVersion}, package.json of ${version}: run npm run lock`]),
    ...findUntold(release),
    ...(uncommitted.length === 0 ? [] : [`not committed: ${uncommitted.join(', ')}; a tag names a commit`]),
  ];
}

/** What the change list lacks: its newest section belongs to the version and is dated. */
function findUntold({ version, changes }: Release): string[] {
  const { version: told, date = 'no date' } = SECTION.exec(changes)?.groups ?? {};
  if (told !== version)
    return [`CHANGELOG.md begins with ${told}, package.json names ${version}: write its section`];
  return DATE.test(date) ? [] : [`CHANGELOG.md says "${date}" of ${version}: write the day, as 2026-11-23`];
}

/** How it is tagged and published, with these packages. */
export function describeRelease(version: string, packages: readonly string[]): string {
  const channel = version.includes('-') ? ' --tag next' : '';
  const archives = packages.map((name) => `npm publish${channel} dist/${name}-${version}.tgz`);
  return [
    `git tag --annotate v${version} --message 'Version ${version}'`,
    `git push origin v${version}`,
    ...archives,
  ].join('\n');
}

/** Declarations of the public modules of each package that has some. */
export const PUBLIC_MODULES = {
  'workforce-change-notifier': ['kit/main.d.ts', 'kit/testing.d.ts'],
  'workforce-change-notifier-cdk': ['infra/notifier-stack.d.ts', 'infra/config.d.ts'],
} as const;

const COMMENT = /[ \t]*\/\*\*[\s\S]*?\*\/\n?/g;
const REEXPORT = /^export (?:type )?\{[^}]*\} from '(?<path>\.[^']+)\.js';$/gm;

/**
 * What a package promises: the declarations of its public modules and of what they export again, without comments. The
 * members of events are in `kit/event-data.ts` instead.
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
