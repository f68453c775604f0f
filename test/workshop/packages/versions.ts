import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, pack } from './foreign-project.ts';
import { makeLaterVersion } from './later-version.ts';

/** The package that operators install. */
export const NAME = 'workforce-change-notifier-cdk';
/** Its command, in a project. */
export const PROGRAM = `node_modules/${NAME}/bin/run-notifier.js`;
/** A member that the events of the later version have more, as a minor version may add one. */
export const LATER_MEMBER = 'laterMember';

const RELEASED = resolve('test/fixtures/released');
const [LAST_RELEASE] = readdirSync(RELEASED).filter((file) => file.endsWith('.tgz'));

/** A version of the package, by how its archive is made in a folder of its own. Returns the path of the archive. */
const VERSIONS = {
  'the last release': () => join(RELEASED, LAST_RELEASE ?? ''),
  'this version': (folder: string) => buildArchive(folder),
  'a later version': buildLater,
};

export type Version = keyof typeof VERSIONS;

/** From a version to the next one, and back: the made-up one always, a release as soon as there is one. */
export const UPGRADES: readonly (readonly [Version, Version])[] = [
  ['this version', 'a later version'],
  ...(LAST_RELEASE === undefined ? [] : [['the last release', 'this version'] as const]),
];

/** The archives of all versions of some upgrades, made in a folder. */
export function makeArchives(upgrades: typeof UPGRADES, folder: string): ReadonlyMap<Version, string> {
  const versions = [...new Set(upgrades.flat())];
  return new Map(
    versions.map((version) => [version, VERSIONS[version](join(folder, version.replaceAll(' ', '-')))]),
  );
}

function buildLater(folder: string): string {
  return buildArchive(folder, makeLaterVersion(join(folder, 'repository'), LATER_MEMBER));
}

function buildArchive(folder: string, repository?: string): string {
  const built = build(NAME, { into: join(folder, 'built'), repository });
  return join(built, pack(join(built, NAME), built).filename);
}
