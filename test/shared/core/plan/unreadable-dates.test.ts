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

  test('counts as unreadable once it failed often enough', () => {
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
    const told = [first, second, third, fourth].map((state) => state.failing[TODAY]?.told);
    expect(told).toEqual([false, false, true, true]);
  });

  test('is over once it is read', () => {
    expect(read(failing({ told: true }))).toEqual({ failing: {} });
  });

  test('is not over when one poll could read it and then could not', () => {
    const state = updateUnreadableDates(failing({ told: true }), {
      now: NOON,
      failed: new Map([[TODAY, 'source_failed']]),
      fetchedWhole: new Set([TODAY]),
      reportAfterTries: 3,
      window: WATCHED,
    });
    expect(state.failing[TODAY]).toMatchObject({ told: true, attempts: 5 });
  });

  test('counts so at the first failure where the config says so, and still when it then says more', () => {
    const at = (reportAfterTries: number, before: FeedState['failing']) =>
      updateUnreadableDates(before, {
        now: NOON,
        failed: new Map([[TODAY, 'source_failed']]),
        fetchedWhole: new Set(),
        reportAfterTries,
        window: WATCHED,
      });
    const first = at(1, {});
    expect(first.failing[TODAY]).toMatchObject({ told: true });
    const second = at(5, first.failing);
    expect(second.failing[TODAY]).toMatchObject({ told: true, attempts: 2 });
  });

  test('is not remembered when its date is outside the window', () => {
    const failedBefore = { now: NOON, fetchedWhole: new Set<string>(), reportAfterTries: 1 };
    const result = { ...failedBefore, failed: new Map([['2026-01-01', 'source_failed']]), window: WATCHED };
    expect(updateUnreadableDates({}, result)).toEqual({ failing: {} });
  });

  test('stays as it is while it is not attempted, and is forgotten outside the window', () => {
    const before = failing({ told: true });
    const nothing = { now: NOON, failed: new Map(), fetchedWhole: new Set<string>(), reportAfterTries: 3 };
    expect(updateUnreadableDates(before, { ...nothing, window: WATCHED })).toEqual({ failing: before });
    expect(updateUnreadableDates(before, { ...nothing, window: ['2026-03-06'] })).toEqual({ failing: {} });
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
