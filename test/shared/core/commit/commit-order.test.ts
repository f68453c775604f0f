import { expect, test } from 'vitest';
import { CommitClock, findLatestCommitAt } from '#shared/core/commit/commit-order.ts';
import { EARLIER, NOW } from '#test/support/builders.ts';

test('a commit is dated after every one whose events may still wait, whatever the clock says', () => {
  const waiting = [
    '2026-03-05T01:00:00.000Z/2026-03-05/000000004/1',
    '2026-03-05T01:01:00.000Z/feed/000000002/1',
  ];
  expect(findLatestCommitAt(waiting)).toBe(NOW);
  const clock = new CommitClock(waiting);
  expect(clock.next(EARLIER)).toBe(NOW + 1);
  expect(clock.next(EARLIER)).toBe(NOW + 2);
});

test('and by the clock when that is later, or nothing waits', () => {
  expect(new CommitClock([`${new Date(EARLIER).toISOString()}/feed/1/1`]).next(NOW)).toBe(NOW);
  expect(new CommitClock([]).next(NOW)).toBe(NOW);
});

test('and after what another poll committed meanwhile', () => {
  const clock = new CommitClock([]);
  clock.follow([`${new Date(NOW).toISOString()}/feed/1/1`]);
  expect(clock.next(EARLIER)).toBe(NOW + 1);
});
