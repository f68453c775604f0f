import { describe, expect, test } from 'vitest';
import { updateUnreadableDates } from '#shared/core/plan/unreadable-dates.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { MINUTE_MS } from '#test/support/builders.ts';
import { NOON, TODAY } from './agendas.ts';

const WATCHED = [TODAY, '2026-03-06'];

describe('a date that cannot be read', () => {
  test('is tried again after 1, 2, 4, 8, 16 and 30 minutes, and then every 30', () => {
    const waits: number[] = [];
    let failing: FeedState['failing'] = {};
    for (let attempts = 1; attempts <= 8; attempts += 1) {
      failing = failed(failing).failing;
      waits.push(((failing[TODAY]?.nextAt ?? 0) - NOON) / MINUTE_MS);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });

  test('is reported once, when it failed often enough', () => {
    const first = failed({});
    expect(first.failing[TODAY]).toEqual({
      since: NOON,
      attempts: 1,
      nextAt: NOON + MINUTE_MS,
      code: 'source_failed',
      told: false,
    });
    const second = failed(first.failing, NOON + MINUTE_MS);
    const third = failed(second.failing, NOON + 3 * MINUTE_MS);
    const fourth = failed(third.failing, NOON + 7 * MINUTE_MS);
    expect([first, second, third, fourth].map(({ operations }) => operations.length)).toEqual([0, 0, 1, 0]);
    expect(third.operations).toEqual([
      {
        type: 'slice.unreadable',
        subject: TODAY,
        data: {
          slice: TODAY,
          since: '2026-03-05T12:00:00.000Z',
          attempts: 3,
          reason: 'source_failed',
          nextTryAt: '2026-03-05T12:07:00.000Z',
        },
      },
    ]);
  });

  test('is reported as readable once, if it was reported before', () => {
    const told = failing({ told: true });
    expect(read(told).failing).toEqual({});
    expect(read(told).operations).toEqual([
      {
        type: 'slice.readable',
        subject: TODAY,
        data: { slice: TODAY, since: '2026-03-05T11:00:00.000Z', attempts: 4 },
      },
    ]);
    expect(read(failing({ told: false }))).toEqual({ failing: {}, operations: [] });
  });

  test('is not over when one poll could read it and then could not', () => {
    const { operations, failing: after } = updateUnreadableDates(failing({ told: true }), {
      now: NOON,
      failed: new Map([[TODAY, 'source_failed']]),
      listed: new Set([TODAY]),
      reportAfterTries: 3,
      window: WATCHED,
    });
    expect(operations).toEqual([]);
    expect(after[TODAY]).toMatchObject({ told: true, attempts: 5 });
  });

  test('stays as it is while it is not tried, and is forgotten outside the window', () => {
    const told = failing({ told: true });
    const nothing = { now: NOON, failed: new Map(), listed: new Set<string>(), reportAfterTries: 3 };
    expect(updateUnreadableDates(told, { ...nothing, window: WATCHED })).toEqual({
      failing: told,
      operations: [],
    });
    expect(updateUnreadableDates(told, { ...nothing, window: ['2026-03-06'] })).toEqual({
      failing: {},
      operations: [],
    });
  });
});

function failed(before: FeedState['failing'], now = NOON) {
  const result = { now, window: WATCHED, listed: new Set<string>(), reportAfterTries: 3 };
  return updateUnreadableDates(before, { ...result, failed: new Map([[TODAY, 'source_failed']]) });
}

function read(before: FeedState['failing']) {
  const result = { now: NOON, window: WATCHED, failed: new Map<string, string>(), reportAfterTries: 3 };
  return updateUnreadableDates(before, { ...result, listed: new Set([TODAY]) });
}

function failing({ told }: { told: boolean }): FeedState['failing'] {
  const since = NOON - 60 * MINUTE_MS;
  return { [TODAY]: { since, attempts: 4, nextAt: NOON + MINUTE_MS, code: 'source_failed', told } };
}
