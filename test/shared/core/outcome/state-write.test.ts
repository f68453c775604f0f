import { expect, test } from 'vitest';
import { planStateWrite } from '#shared/core/outcome/feed-memory.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { DAY_MS, TIMESHEETS } from '#test/support/builders.ts';

const NOW = Date.parse('2026-03-05T01:00:00Z');

test('a later batch never expires before an earlier one that waits, even when the clock of its poll is behind', () => {
  const summary = {
    state: { ...EMPTY_FEED_STATE, revision: 2, sequence: 1 },
    operations: [{ type: 'trouble.began', subject: 'feed', data: {} } as const],
  };
  const { write } = planStateWrite(
    summary,
    { state: EMPTY_FEED_STATE, expectedRevision: 1 },
    { feed: TIMESHEETS, runId: 'run-1', now: NOW - 3_000, committedAt: NOW, retentionMs: DAY_MS },
  );

  expect(write.eventsExpireAt).toBe(NOW + DAY_MS);
});
