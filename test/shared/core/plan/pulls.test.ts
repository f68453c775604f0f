import { describe, expect, test } from 'vitest';
import { mergePulls, pullPeriodsCovering } from '#shared/core/plan/agenda.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import { hint, MINUTE_MS } from '#test/support/builders.ts';
import { AHEAD, NOON, planDueDates, planSampleAgenda, seen, TODAY } from './agendas.ts';

describe('the totals of a pay period', () => {
  const pullsOf = (payPeriods: readonly PayPeriodHint[], pulls: FeedState['pulls']) =>
    planSampleAgenda({ payPeriods, state: { ...EMPTY_FEED_STATE, pulls } }).pulls;
  const moved = hint({ totals: '1300/31/160' });

  test('pull nothing forward when they are seen for the first time, or did not move', () => {
    expect(pullsOf([hint()], {})).toEqual({ '3_7': { totals: hint().totals, at: 0 } });
    const known = { '3_7': { totals: hint().totals, at: 7 } };
    expect(pullsOf([hint()], known)).toEqual(known);
  });

  test('pull its dates forward when they moved', () => {
    const known = { '3_7': { totals: hint().totals, at: 0 } };
    expect(pullsOf([moved], known)).toEqual({ '3_7': { totals: moved.totals, at: NOON } });
    const heads = seen({ [AHEAD]: { observedAt: NOON - MINUTE_MS } });
    expect(
      planDueDates({ heads, payPeriods: [moved], state: { ...EMPTY_FEED_STATE, pulls: known } }),
    ).toContain(AHEAD);
  });

  test('do so no more often than every minute, and then with what they are by then', () => {
    const known = (ago: number) => ({ '3_7': { totals: hint().totals, at: NOON - ago } });
    expect(pullsOf([moved], known(MINUTE_MS - 1))).toEqual(known(MINUTE_MS - 1));
    expect(pullsOf([moved], known(MINUTE_MS))).toEqual({ '3_7': { totals: moved.totals, at: NOON } });
    // A wrong clock pulled it.
    expect(pullsOf([moved], known(-2 * MINUTE_MS))).toEqual({ '3_7': { totals: moved.totals, at: NOON } });
  });

  test('are forgotten once the period lies outside the window', () => {
    const far = [
      hint({ id: '1_7', startDate: '2026-02-20', finishDate: '2026-02-26' }),
      hint({ id: '9_7', startDate: '2026-03-09', finishDate: '2026-03-15' }),
      hint({ id: '2_7', startDate: '2026-02-20', finishDate: '2026-02-27' }),
    ];
    const pulls = Object.fromEntries(far.map(({ id, totals }) => [id, { totals, at: 1 }]));
    expect(Object.keys(pullsOf(far, { ...pulls, gone: { totals: '', at: 1 } }))).toEqual(['2_7']);
    const last = hint({ id: '8_7', startDate: '2026-03-08', finishDate: '2026-03-15' });
    expect(Object.keys(pullsOf([last], {}))).toEqual(['8_7']);
  });

  test('of an oddly named period are its own', () => {
    for (const id of ['constructor', 'toString', '__proto__']) {
      expect(Object.entries(pullsOf([hint({ id })], {}))).toEqual([[id, { totals: hint().totals, at: 0 }]]);
    }
  });

  test('of an open period count by its number of timesheets, those of a closed one in any case', () => {
    const was = (totals: string) => ({ '3_7': { totals, at: 0 } });
    const isPulled = (before: string, now: Partial<PayPeriodHint>) =>
      pullsOf([hint(now)], was(before))['3_7']?.at === NOON;
    expect(isPulled('100/31/40000', { totals: '900/31/40000' })).toBe(false);
    expect(isPulled('100/31/40000', { totals: '100/31/40000' })).toBe(false);
    expect([40_008, 40_009, 39_991].map((n) => isPulled('1/31/40000', { totals: `1/31/${n}` }))).toEqual([
      false,
      true,
      true,
    ]);
    expect(isPulled('100/31/40000', { totals: '900/31/40000', closed: true })).toBe(true);
    expect(isPulled('', { totals: '900/31/40000' })).toBe(true);
    // A source without numbers of timesheets.
    expect(isPulled('', { totals: '0/0/0' })).toBe(true);
    expect(isPulled('0/0/0', { totals: '' })).toBe(true);
    expect(isPulled('1/31/undefined', { totals: '1/31/40000' })).toBe(true);
  });

  test('are pulled forward with a sweep of payroll: periods it touched, others every five minutes', () => {
    const others = hint({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
    const pulls = { '4_7': { totals: others.totals, at: NOON - 5 * MINUTE_MS + 1 } };
    const pullAt = (now: number) =>
      pullPeriodsCovering([TODAY, TODAY], pulls, { payPeriods: [moved, others], now });
    expect(pullAt(NOON)).toEqual({ '3_7': { totals: moved.totals, at: NOON }, ...pulls });
    expect(pullAt(NOON + 1)['4_7']).toEqual({ totals: others.totals, at: NOON + 1 });
    expect(pullPeriodsCovering([], pulls, { payPeriods: [moved], now: NOON })).toEqual(pulls);
  });

  test('are pulled forward with a sweep where one of its dates touched them, however recently, or a clock was wrong', () => {
    const later = hint({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
    const untouched = hint({ id: '5_7', startDate: '2026-03-16', finishDate: '2026-03-22' });
    const payPeriods = [moved, later, untouched];
    const recent = { totals: '', at: NOON - 1 };
    const pulls = { '3_7': recent, '4_7': recent, '5_7': recent };
    const pulled = (before: Partial<typeof pulls>) =>
      Object.entries(pullPeriodsCovering([TODAY, '2026-03-09'], before, { payPeriods, now: NOON }))
        .filter(([, { at }]) => at === NOON)
        .map(([id]) => id);
    expect(pulled(pulls)).toEqual(['3_7', '4_7']);
    expect(pulled({ '3_7': recent, '4_7': recent })).toEqual(['3_7', '4_7', '5_7']);
    expect(pulled({ ...pulls, '5_7': { totals: '', at: NOON + 2 * MINUTE_MS } })).toEqual([
      '3_7',
      '4_7',
      '5_7',
    ]);
  });

  test('that two polls beside each other pulled forward count by the later instant', () => {
    const [early, late] = [
      { totals: '1', at: 1 },
      { totals: '2', at: 2 },
    ];
    expect(mergePulls({ a: early, b: late, gone: late }, { a: late, b: early, c: early })).toEqual({
      a: late,
      b: late,
      c: early,
    });
    expect(mergePulls({ a: { totals: 'before', at: 1 } }, { a: early })).toEqual({ a: early });
    expect(mergePulls({}, { constructor: early })).toEqual({ constructor: early });
  });
});
