import { describe, expect, test } from 'vitest';
import { describeRelease, findProblems, type Release } from '#workshop/packages/release.ts';

const RELEASE: Release = {
  version: '1.2.0',
  lockedVersion: '1.2.0',
  changes: [
    '# Changes',
    '',
    '## 1.2.0, 2026-11-23',
    '',
    'One thing.',
    '',
    '## 1.1.0, 2026-10-01',
    '',
    'Another.',
  ].join('\n'),
  surfaces: [
    { name: 'kit', agreed: 'aaa', built: 'aaa' },
    { name: 'cdk', agreed: 'bbb', built: 'bbb' },
  ],
  packages: [
    { name: 'kit', version: '1.2.0' },
    { name: 'cdk', version: '1.2.0' },
    { name: 'create', version: '1.2.0', projectVersions: { cdk: '1.2.0', 'aws-cdk': '2.0.0' } },
  ],
  uncommitted: [],
  tags: ['v1.1.0'],
};

test('a commit is a release when everything is of its version, told, agreed to and committed', () => {
  expect(findProblems(RELEASE)).toEqual([]);
});

test('it is tagged and published so, one before a first version apart from the others', () => {
  expect(describeRelease(RELEASE).split('\n')).toEqual([
    "git tag --annotate v1.2.0 --message 'Version 1.2.0'",
    'git push origin v1.2.0',
    'npm publish dist/kit-1.2.0.tgz',
    'npm publish dist/cdk-1.2.0.tgz',
    'npm publish dist/create-1.2.0.tgz',
  ]);
  expect(describeRelease({ ...RELEASE, version: '2.0.0-alpha.1' })).toContain(
    'npm publish --tag next dist/kit-2.0.0-alpha.1.tgz',
  );
});

describe('it is none', () => {
  const [kit, cdk, create] = RELEASE.packages;

  test.each<[string, Partial<Release>, string]>([
    ['when the lock file is of another version', { lockedVersion: '1.1.0' }, 'run npm run lock'],
    [
      'when a package is of another one',
      { packages: [{ name: 'kit', version: '1.1.0' }] },
      'kit is of 1.1.0, package.json of 1.2.0',
    ],
    [
      'when the creator installs another one',
      { packages: [kit, cdk, { ...create, projectVersions: { cdk: '1.1.0' } }] as Release['packages'] },
      'cdk is of 1.1.0, package.json of 1.2.0',
    ],
    ['when its changes are not told', { version: '1.3.0' }, 'CHANGELOG.md begins with 1.2.0'],
    [
      'when they have no day',
      { changes: RELEASE.changes.replace('2026-11-23', 'not released yet') },
      'says "not released yet" of 1.2.0',
    ],
    [
      'when nobody agreed to the public surface',
      { surfaces: [{ name: 'kit', agreed: 'ccc', built: 'aaa' }] },
      'kit promises something else than workshop/packages/api',
    ],
    ['when something is not committed', { uncommitted: [' M README.md'] }, 'not committed:  M README.md'],
    ['when it is tagged', { tags: ['v1.2.0'] }, 'v1.2.0 is tagged already'],
  ])('%s', (_, change, problem) => {
    expect(findProblems({ ...RELEASE, ...change }).join('\n')).toContain(problem);
  });
});
