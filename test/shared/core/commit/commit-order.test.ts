import { expect, test } from 'vitest';
import { computeNextCommitAt, findLatestCommitAt } from '#shared/core/commit/commit-order.ts';
import { EARLIER, NOW } from '#test/support/builders.ts';

test('a commit is dated after every one whose events may still wait, whatever the clock says', () => {
  const waiting = [
    '2026-03-05T01:00:00.000Z/2026-03-05/000000004/1',
    '2026-03-05T01:01:00.000Z/feed/000000002/1',
  ];
  expect(findLatestCommitAt(waiting)).toBe(NOW);
  expect(computeNextCommitAt(EARLIER, findLatestCommitAt(waiting))).toBe(NOW + 1);
});

test('and by the clock when that is later, or nothing waits', () => {
  expect(computeNextCommitAt(NOW, EARLIER)).toBe(NOW);
  expect(computeNextCommitAt(NOW, findLatestCommitAt([]))).toBe(NOW);
});
