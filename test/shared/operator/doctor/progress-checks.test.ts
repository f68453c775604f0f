import { expect, test } from 'vitest';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import { checkProgress, judgeFeed } from '#shared/operator/doctor/state-checks.ts';
import type { Target } from '#shared/operator/target.ts';

const SINCE = Date.parse('2026-03-05T01:00:00Z');

const check = (state: Partial<FeedState>) =>
  checkProgress('main timesheets', { ...EMPTY_FEED_STATE, ...state });

test('reports nothing for a feed without trouble', () => {
  expect(check({})).toEqual([]);
  expect(check({ failing: {}, lag: { since: null, worst: [] }, formChanged: null })).toEqual([]);
});

test('a baseline says how many dates of its window it has, whether or not a poll was complete', () => {
  const target = {
    system: { now: () => SINCE + 60_000 } as Target['system'],
    speed: 1,
  };
  const baseline = { from: '2026-03-01', to: '2026-03-10', startedAt: SINCE, completedAt: null };
  const heads = [
    { slice: '2026-03-05', baselinedAt: SINCE + 1 },
    { slice: '2026-03-06', baselinedAt: SINCE + 2 },
    { slice: '2026-03-07', baselinedAt: null },
    // Left the window since.
    { slice: '2026-02-28', baselinedAt: SINCE },
  ];
  const judge = (state: Partial<FeedState>) =>
    judgeFeed(
      'main timesheets',
      { state: { ...EMPTY_FEED_STATE, ...state }, heads, waiting: 0, silentMinutes: 15 },
      target,
    );
  const says = 'its baseline has 2 of 10 dates since 2026-03-05T01:00:00.000Z, the dates around today first';

  expect(judge({ baseline })).toMatchObject({ outcome: 'warning', says });
  expect(judge({ baseline, completedAt: SINCE })).toMatchObject({ outcome: 'warning', says });
  expect(judge({ baseline: { ...baseline, completedAt: SINCE }, completedAt: SINCE })).toMatchObject({
    outcome: 'ok',
  });
  expect(judge({})).toMatchObject({ outcome: 'warning', says: 'no poll was complete yet' });
});

test('dates that cannot be read are named with their code and their next attempt', () => {
  const failing = Object.fromEntries(
    Array.from({ length: 7 }, (_, n) => [
      `2026-03-0${n + 1}`,
      { since: SINCE, attempts: n + 1, nextAt: SINCE + 60_000, code: 'source_failed', told: true },
    ]),
  );

  const [found] = check({ failing });

  expect(found).toMatchObject({ about: 'main timesheets', outcome: 'warning' });
  expect(found?.says).toMatch(
    /^7 dates cannot be read \(2026-03-01: source_failed, 1 attempts since 2026-03-05T01:00/,
  );
  expect(found?.says).toContain('next at 2026-03-05T01:01:00.000Z');
  expect(found?.says).toMatch(/and 2 more\)$/);
  expect(found?.mend).toContain('ask the operator of the source');
});

test('late dates are reported with their class and by how much', () => {
  const worst = [
    { class: 'hot' as const, dates: ['2026-03-05'], lateMs: 5 * 60_000 },
    { class: 'settled' as const, dates: ['2026-02-01', '2026-02-02'], lateMs: 95 * 60_000 },
  ];

  const [found] = check({ lag: { since: SINCE, worst } });

  expect(found).toMatchObject({
    outcome: 'warning',
    says: 'dates are late by 95 min since 2026-03-05T01:00:00.000Z: hot by 5 min (2026-03-05), settled by 95 min (2026-02-01, 2026-02-02)',
    mend: expect.stringContaining('requests.maxPerSecond'),
  });
});

test('a source that changed its form is wrong, with the fields and what they are now', () => {
  const fields = [{ field: 'hoursToPay', kinds: ['string', 'null'] }];

  expect(check({ formChanged: { since: SINCE, fields, bad: 30, slices: [] } })).toEqual([
    {
      about: 'main timesheets',
      outcome: 'wrong',
      says: 'the source changed the form of its records in field hoursToPay (now string or null) at 2026-03-05T01:00:00.000Z, so they cannot be read',
      mend: expect.stringContaining('deploy a version'),
    },
  ]);
});
