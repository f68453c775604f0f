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
      failing = failed(failing).state.failing;
      waits.push(((failing[TODAY]?.nextAt ?? 0) - NOON) / MINUTE_MS);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });

  test('is reported once, when it failed often enough', () => {
    const first = failed({});
    expect(first.state.failing[TODAY]).toEqual({
      since: NOON,
      attempts: 1,
      nextAt: NOON + MINUTE_MS,
      code: 'source_failed',
      told: false,
    });
    const second = failed(first.state.failing, NOON + MINUTE_MS);
    const third = failed(second.state.failing, NOON + 3 * MINUTE_MS);
    const fourth = failed(third.state.failing, NOON + 7 * MINUTE_MS);
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
    const reported = failing({ told: true });
    expect(read(reported).state.failing).toEqual({});
    expect(read(reported).operations).toEqual([
      {
        type: 'slice.readable',
        subject: TODAY,
        data: { slice: TODAY, since: '2026-03-05T11:00:00.000Z', attempts: 4 },
      },
    ]);
    expect(read(failing({ told: false }))).toEqual({ state: { failing: {} }, operations: [] });
  });

  test('is not over when one poll could read it and then could not', () => {
    const { operations, state } = updateUnreadableDates(failing({ told: true }), {
      now: NOON,
      failed: new Map([[TODAY, 'source_failed']]),
      fetchedWhole: new Set([TODAY]),
      reportAfterTries: 3,
      window: WATCHED,
    });
    expect(operations).toEqual([]);
    expect(state.failing[TODAY]).toMatchObject({ told: true, attempts: 5 });
  });

  test('is reported at the first failure where the config says so, and never twice when it then says more', () => {
    const at = (reportAfterTries: number, before: FeedState['failing']) =>
      updateUnreadableDates(before, {
        now: NOON,
        failed: new Map([[TODAY, 'source_failed']]),
        fetchedWhole: new Set(),
        reportAfterTries,
        window: WATCHED,
      });
    const first = at(1, {});
    expect(first.operations).toHaveLength(1);
    const second = at(5, first.state.failing);
    expect(second.operations).toEqual([]);
    expect(second.state.failing[TODAY]).toMatchObject({ told: true, attempts: 2 });
  });

  test('is not remembered when its date is outside the window', () => {
    const failedBefore = { now: NOON, fetchedWhole: new Set<string>(), reportAfterTries: 1 };
    const result = { ...failedBefore, failed: new Map([['2026-01-01', 'source_failed']]), window: WATCHED };
    expect(updateUnreadableDates({}, result)).toEqual({ state: { failing: {} }, operations: [] });
  });

  test('stays as it is while it is not attempted, and is forgotten outside the window', () => {
    const before = failing({ told: true });
    const nothing = { now: NOON, failed: new Map(), fetchedWhole: new Set<string>(), reportAfterTries: 3 };
    expect(updateUnreadableDates(before, { ...nothing, window: WATCHED })).toEqual({
      state: { failing: before },
      operations: [],
    });
    expect(updateUnreadableDates(before, { ...nothing, window: ['2026-03-06'] })).toEqual({
      state: { failing: {} },
      operations: [],
    });
  });
});

function failed(before: FeedState['failing'], now = NOON) {
  const result = { now, window: WATCHED, fetchedWhole: new Set<string>(), reportAfterTries: 3 };
  return updateUnreadableDates(before, { ...result, failed: new Map([[TODAY, 'source_failed']]) });
}

function read(before: FeedState['failing']) {
  const result = { now: NOON, window: WATCHED, failed: new Map<string, string>(), reportAfterTries: 3 };
  return updateUnreadableDates(before, { ...result, fetchedWhole: new Set([TODAY]) });
}

function failing({ told }: { told: boolean }): FeedState['failing'] {
  const since = NOON - 60 * MINUTE_MS;
  return { [TODAY]: { since, attempts: 4, nextAt: NOON + MINUTE_MS, code: 'source_failed', told } };
}
