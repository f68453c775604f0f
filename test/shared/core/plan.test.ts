import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, datesOf } from '#shared/core/dates.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/feed-state.ts';
import {
  closedOn,
  halvesOf,
  loadHeadsFrom,
  type Plan,
  type PlanInput,
  planPoll,
  pullForward,
  SCAN_MOST_RECORDS,
  windowRange,
} from '#shared/core/plan.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import type { SliceHead } from '#shared/core/snapshot.ts';
import { hint, MINUTE_MS, slice } from '#test/support/builders.ts';
import { holds } from './properties.ts';

const NOON = Date.parse('2026-03-05T12:00:00.000Z');
const TODAY = '2026-03-05';
const WINDOW = { backDays: 6, forwardDays: 3 };
const DATES = datesOf({ from: '2026-02-27', to: '2026-03-08' });
const HOT = ['2026-03-04', TODAY, '2026-03-06'];
const QUIET = '2026-02-28';
const LATER = '2026-03-08';

describe('the window', () => {
  test.each([
    ['UTC', '2026-03-05T00:00:00.000Z', '2026-03-05'],
    ['UTC', '2026-03-04T23:59:59.999Z', '2026-03-04'],
    ['Pacific/Kiritimati', '2026-03-05T09:59:59.999Z', '2026-03-05'],
    ['Pacific/Kiritimati', '2026-03-05T10:00:00.000Z', '2026-03-06'],
    ['Pacific/Pago_Pago', '2026-03-05T10:59:59.999Z', '2026-03-04'],
    ['Pacific/Pago_Pago', '2026-03-05T11:00:00.000Z', '2026-03-05'],
    ['Asia/Kathmandu', '2026-03-05T18:15:00.000Z', '2026-03-06'],
  ])('is around today in %s at %s: %s', (timeZone, now, today) => {
    expect(windowRange(Date.parse(now), timeZone, { backDays: 2, forwardDays: 1 })).toEqual({
      from: addDays(today, -2),
      to: addDays(today, 1),
    });
  });

  test('moves on one day at local midnight, also over a change of the clocks', () => {
    const window = { backDays: 0, forwardDays: 0 };
    const dayOf = (now: string) => windowRange(Date.parse(now), 'Europe/Berlin', window).from;
    expect(dayOf('2026-03-28T22:59:59.999Z')).toBe('2026-03-28');
    expect(dayOf('2026-03-28T23:00:00.000Z')).toBe('2026-03-29');
    expect(dayOf('2026-03-29T21:59:59.999Z')).toBe('2026-03-29');
    expect(dayOf('2026-03-29T22:00:00.000Z')).toBe('2026-03-30');
  });

  test('is looked at whole when that is asked for', () => {
    const { window, parts } = planned({ scope: 'window' });
    expect(window).toEqual(DATES);
    expect(parts).toEqual([{ range: { from: '2026-02-27', to: '2026-03-08' }, slices: DATES }]);
  });

  test('of a feed that comes as one list is that list', () => {
    expect(planned({ feed: 'pay-periods' })).toEqual({
      window: ['all'],
      parts: [{ range: null, slices: ['all'] }],
      pulls: {},
    });
  });
});

describe('a date is looked at', () => {
  test('at every poll from yesterday to tomorrow', () => {
    expect(dueOf({ heads: seen({}) })).toEqual(HOT);
  });

  test('when nobody ever saw it whole', () => {
    expect(dueOf({ heads: new Map() })).toEqual(DATES);
    expect(dueOf({ heads: seen({ [QUIET]: { baselinedAt: null } }) })).toContain(QUIET);
  });

  test.each([
    [5 * MINUTE_MS - 15_001, false],
    [5 * MINUTE_MS - 15_000, true],
  ])('every five minutes while something is expected of it: after %i ms %s', (ago, due) => {
    const heads = seen({ [QUIET]: { unsettledCount: 1, observedAt: NOON - ago } });
    expect(dueOf({ heads }).includes(QUIET)).toBe(due);
    const open = seen({ [LATER]: { observedAt: NOON - ago } });
    expect(dueOf({ heads: open, payPeriods: [hint()] }).includes(LATER)).toBe(due);
  });

  test.each([
    [24 * 60 * MINUTE_MS - 15_001, false],
    [24 * 60 * MINUTE_MS - 15_000, true],
  ])('daily when all is settled: after %i ms %s', (ago, due) => {
    const heads = seen({ [QUIET]: { observedAt: NOON - ago }, [LATER]: { observedAt: NOON - ago } });
    const dates = dueOf({ heads, payPeriods: [hint({ closed: true })] });
    expect([dates.includes(QUIET), dates.includes(LATER)]).toEqual([due, due]);
  });

  test('counted from the last look, committed or not', () => {
    const heads = seen({ [QUIET]: { unsettledCount: 1, observedAt: NOON - 60 * MINUTE_MS } });
    const coverage = { [QUIET]: { at: NOON - MINUTE_MS, revision: 4 } };
    expect(dueOf({ heads })).toContain(QUIET);
    expect(dueOf({ heads, state: { ...EMPTY_FEED_STATE, coverage } })).not.toContain(QUIET);
  });

  test('at once when its pay period was pulled forward after the last look', () => {
    const last = NOON - 3 * MINUTE_MS;
    const heads = seen({ [LATER]: { observedAt: last }, [QUIET]: { observedAt: last } });
    const dueAfter = (at: number) =>
      dueOf({
        heads,
        payPeriods: [hint({ closed: true })],
        state: { ...EMPTY_FEED_STATE, pulls: { '3_7': { totals: hint().totals, at } } },
      });
    expect(dueAfter(last + 1)).toEqual([...HOT, LATER]);
    expect(dueAfter(last)).toEqual(HOT);
  });
});

describe('the totals of a pay period', () => {
  const pullsOf = (payPeriods: readonly PayPeriodHint[], pulls: FeedState['pulls']) =>
    planned({ payPeriods, state: { ...EMPTY_FEED_STATE, pulls } }).pulls;
  const moved = hint({ totals: '1300/31/160' });

  test('pull nothing forward when they are seen for the first time, or did not move', () => {
    expect(pullsOf([hint()], {})).toEqual({ '3_7': { totals: hint().totals, at: 0 } });
    const known = { '3_7': { totals: hint().totals, at: 7 } };
    expect(pullsOf([hint()], known)).toEqual(known);
  });

  test('pull its dates forward when they moved', () => {
    const known = { '3_7': { totals: hint().totals, at: 0 } };
    expect(pullsOf([moved], known)).toEqual({ '3_7': { totals: moved.totals, at: NOON } });
    const heads = seen({ [LATER]: { observedAt: NOON - MINUTE_MS } });
    expect(dueOf({ heads, payPeriods: [moved], state: { ...EMPTY_FEED_STATE, pulls: known } })).toContain(
      LATER,
    );
  });

  test('do so no more often than every two minutes, and then with what they are by then', () => {
    const known = (ago: number) => ({ '3_7': { totals: hint().totals, at: NOON - ago } });
    expect(pullsOf([moved], known(2 * MINUTE_MS - 1))).toEqual(known(2 * MINUTE_MS - 1));
    expect(pullsOf([moved], known(2 * MINUTE_MS))).toEqual({ '3_7': { totals: moved.totals, at: NOON } });
  });

  test('are forgotten once the period lies outside the window', () => {
    const far = [
      hint({ id: '1_7', startDate: '2026-02-20', finishDate: '2026-02-26' }),
      hint({ id: '9_7', startDate: '2026-03-09', finishDate: '2026-03-15' }),
      hint({ id: '2_7', startDate: '2026-02-20', finishDate: '2026-02-27' }),
    ];
    const pulls = Object.fromEntries(far.map(({ id, totals }) => [id, { totals, at: 1 }]));
    expect(Object.keys(pullsOf(far, { ...pulls, gone: { totals: '', at: 1 } }))).toEqual(['2_7']);
  });

  test('of an oddly named period are its own', () => {
    for (const id of ['constructor', 'toString', '__proto__']) {
      expect(Object.entries(pullsOf([hint({ id })], {}))).toEqual([[id, { totals: hint().totals, at: 0 }]]);
    }
  });

  test('are pulled forward with a burst of processing, for the periods it touched', () => {
    const others = hint({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
    const pulls = { '4_7': { totals: others.totals, at: 1 } };
    expect(pullForward(pulls, [TODAY, TODAY], { payPeriods: [moved, others], now: NOON })).toEqual({
      '3_7': { totals: moved.totals, at: NOON },
      '4_7': { totals: others.totals, at: 1 },
    });
    expect(pullForward(pulls, [], { payPeriods: [moved], now: NOON })).toEqual(pulls);
  });
});

describe('parts', () => {
  test('hold each date that is due once, those around today first', () => {
    holds(
      fc.property(
        fc.array(fc.record({ records: fc.nat(30_000), due: fc.boolean() }), { minLength: 10, maxLength: 10 }),
        (days) => {
          const entries = days.map(({ records, due }, nth) => {
            const observedAt = due ? NOON - 10 * MINUTE_MS : NOON;
            return [DATES[nth] ?? '', { recordCount: records, unsettledCount: 1, observedAt }] as const;
          });
          const heads = seen(Object.fromEntries(entries));
          const { parts } = planned({ heads });
          const expected = DATES.filter((date, nth) => HOT.includes(date) || days[nth]?.due === true);
          expect(parts.flatMap(({ slices }) => slices).sort()).toEqual(expected);
          for (const { slices, range } of parts) {
            expect(range && datesOf(range)).toEqual(slices);
            const records = slices.reduce((sum, date) => sum + (heads.get(date)?.recordCount ?? 0), 0);
            expect(slices.length === 1 || records <= SCAN_MOST_RECORDS).toBe(true);
          }
          const urgent = parts.map(({ slices }) => slices.some((date) => HOT.includes(date)));
          expect(urgent).toEqual([...urgent].sort().reverse());
        },
      ),
    );
  });

  test('are halved in order until they are one date', () => {
    const [part] = planned({ scope: 'window' }).parts;
    const halves = part === undefined ? [] : halvesOf(part);
    expect(halves.map(({ slices }) => slices)).toEqual([DATES.slice(0, 5), DATES.slice(5)]);
    expect(halves.map(({ range }) => range && datesOf(range))).toEqual([DATES.slice(0, 5), DATES.slice(5)]);
    expect(halvesOf({ range: { from: TODAY, to: TODAY }, slices: [TODAY] })).toEqual([]);
    expect(halvesOf({ range: null, slices: ['all'] })).toEqual([]);
  });
});

describe('heads are loaded', () => {
  const from = (loadFrom: string | null) =>
    loadHeadsFrom({
      feed: 'timesheets',
      now: NOON,
      timeZone: 'UTC',
      window: WINDOW,
      state: { ...EMPTY_FEED_STATE, loadFrom },
    });

  test('from 31 days before the window on, where a record that turns up is still recognised', () => {
    expect(from(null)).toBe('2026-01-27');
    expect(from('2026-02-10')).toBe('2026-01-27');
  });

  test('from further back when something there is not published yet', () => {
    expect(from('2025-12-31')).toBe('2025-12-31');
  });

  test('all, of a feed that comes as one list', () => {
    const input = { now: NOON, timeZone: 'UTC', window: WINDOW, state: EMPTY_FEED_STATE };
    expect(loadHeadsFrom({ ...input, feed: 'pay-periods' })).toBe('');
  });
});

describe('a date is closed', () => {
  const closed = hint({ closed: true });

  test('when every pay period that covers it is, and there is one', () => {
    expect(closedOn([closed])(TODAY)).toBe(true);
    expect(closedOn([closed, hint({ id: '4_7', closed: true })])(TODAY)).toBe(true);
    expect(closedOn([closed, hint({ id: '4_7' })])(TODAY)).toBe(false);
    expect(closedOn([hint()])(TODAY)).toBe(false);
    expect(closedOn([])(TODAY)).toBe(false);
  });

  test('from the first to the last day of its period', () => {
    expect(['2026-03-01', '2026-03-02', '2026-03-08', '2026-03-09'].map(closedOn([closed]))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test('whatever the periods of other dates are', () => {
    const other = hint({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
    expect(closedOn([closed, other])(TODAY)).toBe(true);
  });
});

function planned(values: Partial<PlanInput>): Plan {
  return planPoll({
    feed: 'timesheets',
    scope: 'due',
    now: NOON,
    timeZone: 'UTC',
    window: WINDOW,
    state: EMPTY_FEED_STATE,
    heads: new Map(),
    payPeriods: [],
    ...values,
  });
}

function dueOf(values: Partial<PlanInput>): string[] {
  return planned(values)
    .parts.flatMap(({ slices }) => slices)
    .sort();
}

/** Heads of every date of the window, settled and just looked at unless said otherwise. */
function seen(values: Readonly<Record<string, Partial<SliceHead>>>): Map<string, SliceHead> {
  return new Map(
    DATES.map((date) => [
      date,
      { ...slice({ slice: date }).head, observedAt: NOON, unsettledCount: 0, ...values[date] },
    ]),
  );
}
