import { describe, expect, test } from 'vitest';
import { sortByUrgency } from '#shared/core/plan/agenda.ts';
import { areNeighbours } from '#shared/core/plan/parts.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { hint, MINUTE_MS } from '#test/support/builders.ts';
import { AHEAD, dueSlice, NOON, planSampleAgenda, seen, TODAY } from './agendas.ts';

describe('a date is due at once when its pay period was seen closed after its last scan', () => {
  const closedBy = (by: number) => hint({ closed: true, closedBetween: { after: 0, by } });
  const dueOn = (date: string, given: Parameters<typeof planSampleAgenda>[0]) =>
    planSampleAgenda({ scope: 'window', heads: seen({}), ...given }).due.find(({ slice }) => slice === date);
  const last = NOON - MINUTE_MS;
  const heads = seen({ [AHEAD]: { observedAt: last } });

  test.each([
    ['after it', last + 1, true],
    ['as late as now', NOON, true],
    ['when it began', last, false],
    ['ahead of now', NOON + 1, false],
  ])('%s', (_, by, isDue) => {
    const found = dueOn(AHEAD, { heads, payPeriods: [closedBy(by)] });
    expect(found?.isAwaited ?? false).toBe(isDue);
    expect(found?.isPulled ?? false).toBe(isDue);
    if (isDue) expect(found?.owedSince).toBe(by);
  });

  test('also while another period on its dates is open', () => {
    const open = hint({ id: '4_7', calendar: 'Monthly' });
    for (const payPeriods of [
      [closedBy(NOON), open],
      [open, closedBy(NOON)],
    ])
      expect(dueOn(AHEAD, { heads, payPeriods })?.isAwaited).toBe(true);
  });

  test('which is not said of a date without a closing that is told', () => {
    expect(dueOn(AHEAD, { heads })).not.toHaveProperty('isAwaited');
    const first = hint({ closed: true, closedBetween: { after: null, by: NOON } });
    expect(dueOn(AHEAD, { heads, payPeriods: [first] })).not.toHaveProperty('isAwaited');
  });

  test('which is not said of a date that was never scanned', () => {
    const found = dueOn(AHEAD, { heads: new Map(), payPeriods: [closedBy(last)] });
    expect(found?.isPulled).toBe(false);
    expect(found).not.toHaveProperty('isAwaited');
  });

  test('also when its period is pulled forward, while a closing of a wrong clock is not believed', () => {
    const pulls = { '3_7': { totals: hint().totals, at: last + 5 } };
    const state = { ...EMPTY_FEED_STATE, pulls };
    const given = (by: number) => ({ heads, state, payPeriods: [closedBy(by)] });
    expect(dueOn(AHEAD, given(NOON + 5))).toMatchObject({ isPulled: true, owedSince: last + 5 });
    expect(dueOn(AHEAD, given(last + 9))).toMatchObject({ isAwaited: true, owedSince: last + 9 });
  });
});

test('dates that are equally urgent are in the order of the calendar, however they come', () => {
  const dates = ['2026-03-01', '2026-03-09', '2026-02-20', '2026-03-18'].map((date) => dueSlice(date));
  for (const due of [dates, dates.toReversed()])
    expect(sortByUrgency(due, { today: TODAY }).map(({ slice }) => slice)).toEqual([
      '2026-03-01',
      '2026-03-09',
      '2026-02-20',
      '2026-03-18',
    ]);
});

test.each([
  ['2026-02-28', '2026-03-01', true],
  ['2026-03-01', '2026-03-01', false],
  ['2026-03-01', '2026-03-03', false],
])('%s and %s are neighbours: %s', (left, right, expected) => {
  expect([areNeighbours(left, right), areNeighbours(right, left)]).toEqual([expected, expected]);
});
