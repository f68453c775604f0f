import { describe, expect, test } from 'vitest';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import { needsSaving } from '#shared/core/state-saving.ts';

const NOON = Date.parse('2026-03-05T12:00:00.000Z');
const [TODAY, PAST] = ['2026-03-05', '2026-02-20'];

const STORED: FeedState = {
  ...EMPTY_FEED_STATE,
  revision: 7,
  epoch: 1,
  tableId: 'a',
  completedAt: NOON,
  coverage: { [TODAY]: { at: NOON, revision: 2 }, [PAST]: { at: NOON, revision: 3 } },
};

describe('the state after a poll', () => {
  test('need not be written when the poll found nothing, whatever it measured and whenever it was', () => {
    const measured = {
      newestEpoch: NOON + 60_000,
      pages: { ms: 31, size: 200 },
      payPeriodsAt: NOON + 60_000,
      turn: 2,
    };
    expect(isWritten({ ...measured, coverage: { ...STORED.coverage, [TODAY]: look(TODAY, 60_000) } })).toBe(
      false,
    );
    expect(isWritten({ coverage: { [PAST]: look(PAST, 0), [TODAY]: look(TODAY, 0) } })).toBe(false);
  });

  test.each<[string, Partial<FeedState>]>([
    [
      'a date was looked at that not every poll looks at',
      { coverage: { ...STORED.coverage, [PAST]: look(PAST, 1) } },
    ],
    ['a date was committed', { coverage: { ...STORED.coverage, [TODAY]: { at: NOON, revision: 3 } } }],
    [
      'a record could not be read',
      { coverage: { ...STORED.coverage, [TODAY]: { ...look(TODAY, 0), unseen: { a: 1 } } } },
    ],
    ['a date failed', { failing: { [PAST]: { since: 1, attempts: 1, nextAt: 2, code: 'x', told: false } } }],
    ['the source failed', { failedPolls: 1 }],
    ['the table was restored', { tableId: 'b', epoch: 2, restoredAt: 2 }],
    ['changes were counted', { changeCount: { halfHour: 1, since: 1, changes: {} } }],
    ['dates were pulled forward', { pulls: { '1': { totals: '1/1/1', at: 5 } } }],
  ])('is written when %s', (_what, change) => {
    expect(isWritten(change)).toBe(true);
  });

  test('is written after an eventful poll, the first one, after five minutes, and after a clock that was wrong', () => {
    expect(isWritten({}, { isUneventful: false })).toBe(true);
    expect(needsSaving(null, STORED, ended({}))).toBe(true);
    expect(isWritten({}, { now: NOON + 5 * 60_000 - 1 })).toBe(false);
    expect(isWritten({}, { now: NOON + 5 * 60_000 })).toBe(true);
    expect(isWritten({}, { now: NOON - 1 })).toBe(true);
  });
});

function look(slice: string, laterMs: number) {
  return { at: NOON + laterMs, revision: STORED.coverage[slice]?.revision ?? 0 };
}

function ended(values: { now?: number; isUneventful?: boolean }) {
  return { now: NOON + 60_000, isUneventful: true, lookedAtAlways: new Set([TODAY]), ...values };
}

function isWritten(change: Partial<FeedState>, values = {}): boolean {
  return needsSaving(
    STORED,
    { ...STORED, revision: 8, completedAt: NOON + 60_000, ...change },
    ended(values),
  );
}
