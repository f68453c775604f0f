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
  uncommitted: [],
};

test('a commit is a release when everything is of its version, told and committed', () => {
  expect(findProblems(RELEASE)).toEqual([]);
});

test('it is tagged and published so, one before a first version apart from the others', () => {
  expect(describeRelease('1.2.0', ['kit', 'cdk']).split('\n')).toEqual([
    "git tag --annotate v1.2.0 --message 'Version 1.2.0'",
    'git push origin v1.2.0',
    'npm publish dist/kit-1.2.0.tgz',
    'npm publish dist/cdk-1.2.0.tgz',
  ]);
  expect(describeRelease('2.0.0-alpha.1', ['kit'])).toContain(
    'npm publish --tag next dist/kit-2.0.0-alpha.1.tgz',
  );
});

describe('it is none', () => {
  test.each<[string, Partial<Release>, string]>([
    ['when the lock file is of another version', { lockedVersion: '1.1.0' }, 'run npm run lock'],
    ['when its changes are not told', { version: '1.3.0' }, 'CHANGELOG.md begins with 1.2.0'],
    [
      'when they have no day',
      { changes: RELEASE.changes.replace('2026-11-23', 'not released yet') },
      'says "not released yet" of 1.2.0',
    ],
    ['when something is not committed', { uncommitted: [' M README.md'] }, 'not committed:  M README.md'],
  ])('%s', (_, change, problem) => {
    expect(findProblems({ ...RELEASE, ...change }).join('\n')).toContain(problem);
  });
});
