/** What a release is made of, as it lies here. */
export interface Release {
  /** Of `package.json`. */
  readonly version: string;
  /** Of `package-lock.json`. */
  readonly lockedVersion: string;
  readonly changes: string;
  /** What the packages promise, by name: as it was agreed to, and as they were built. */
  readonly surfaces: readonly { readonly name: string; readonly agreed: string; readonly built: string }[];
  /** Manifests of the packages that were built. */
  readonly packages: readonly PackageManifest[];
  /** Lines of `git status --porcelain`. */
  readonly uncommitted: readonly string[];
  readonly tags: readonly string[];
}

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  /** What the creator writes into a project. */
  readonly projectVersions?: Readonly<Record<string, string>>;
}

const SECTION = /^## (?<version>\S+)(?:, (?<date>.+))?$/m;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Why this is no release yet, each with how to mend it; empty when it is one. */
export function findProblems(release: Release): string[] {
  const { version, lockedVersion, surfaces, packages, uncommitted, tags } = release;
  const others = packages.flatMap(({ name, version: its, projectVersions = {} }) =>
    [{ name, its }, ...Object.entries(projectVersions).map(([each, of]) => ({ name: each, its: of }))].filter(
      (each) => packages.some((own) => own.name === each.name) && each.its !== version,
    ),
  );
  return [
    ...(lockedVersion === version
      ? []
      : [`package-lock.json is of ${lockedVersion}, package.json of ${version}: run npm run lock`]),
    ...others.map(({ name, its }) => `${name} is of ${its}, package.json of ${version}: build it again`),
    ...findUntold(release),
    ...surfaces
      .filter(({ agreed, built }) => agreed !== built)
      .map(
        ({ name }) =>
          `${name} promises something else than workshop/packages/api: run npm run build -- --api`,
      ),
    ...(uncommitted.length === 0 ? [] : [`not committed: ${uncommitted.join(', ')}; a tag names a commit`]),
    ...(tags.includes(`v${version}`)
      ? [`v${version} is tagged already: name the next version in package.json and CHANGELOG.md`]
      : []),
  ];
}

/** What the change list lacks: its newest section belongs to the version, is dated, and names each public surface. */
function findUntold({ version, changes, surfaces }: Release): string[] {
  const { version: told, date = 'no date' } = SECTION.exec(changes)?.groups ?? {};
  if (told !== version)
    return [`CHANGELOG.md begins with ${told}, package.json names ${version}: write its section`];
  const [, newest = ''] = changes.split(/^## /m);
  return [
    ...(DATE.test(date) ? [] : [`CHANGELOG.md says "${date}" of ${version}: write the day, as 2026-11-23`]),
    ...surfaces
      .filter(({ name, built }) => !newest.includes(`${name} ${built}`))
      .map(({ name, built }) => `CHANGELOG.md does not name the public surface \`${name} ${built}\``),
  ];
}

/** How it is tagged and published. */
export function describeRelease({ version, packages }: Pick<Release, 'version' | 'packages'>): string {
  const channel = version.includes('-') ? ' --tag next' : '';
  const archives = packages.map(({ name }) => `npm publish${channel} dist/${name}-${version}.tgz`);
  return [
    `git tag --annotate v${version} --message 'Version ${version}'`,
    `git push origin v${version}`,
    ...archives,
  ].join('\n');
}
