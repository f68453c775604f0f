import { describe, expect, test } from 'vitest';
import { learnChanges, NO_RATES } from '#shared/core/plan/change-rates.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { hint, MINUTE_MS } from '#test/support/builders.ts';
import { AHEAD, DATES, HOT, NOON, PAST, planDueDates, planSampleAgenda, seen, TODAY } from './agendas.ts';

const FAILING = { since: NOON - 60 * MINUTE_MS, attempts: 5, code: 'source_failed', told: true };

describe('an agenda', () => {
  test('holds every date when the whole window is asked for, the hot ones first', () => {
    const { window, due } = planSampleAgenda({ scope: 'window', heads: seen({}) });
    expect(window).toEqual(DATES);
    expect(due.map(({ slice }) => slice).sort()).toEqual(DATES);
    expect(
      due
        .slice(0, 3)
        .map(({ slice }) => slice)
        .sort(),
    ).toEqual(HOT);
  });

  test('of a feed that comes as one list is that list', () => {
    expect(planSampleAgenda({ feed: 'pay-periods' })).toEqual({
      window: ['all'],
      due: [
        {
          slice: 'all',
          class: 'hot',
          owedSince: NOON,
          dueAt: NOON,
          cadenceMs: MINUTE_MS,
          lateness: 0,
          records: null,
          expectedRecords: 0,
          isAlone: true,
          isPulled: false,
        },
      ],
      early: [],
      postponed: [],
      pulls: {},
    });
  });

  test('leaves what is not busy to the next scheduled poll, in a follow-up within a minute of it', () => {
    const long = { observedAt: NOON - 40 * MINUTE_MS };
    const heads = seen({ [TODAY]: { ...long, unsettledCount: 1_000 }, [PAST]: long, [AHEAD]: long });
    const planUntil = (repeatUntil: number) => planDueDates({ scope: 'owed', repeatUntil, heads });
    expect(planUntil(NOON + 50_000)).toEqual([TODAY]);
    expect(planUntil(NOON + 2 * MINUTE_MS)).toEqual([TODAY, AHEAD, PAST]);
    expect(planDueDates({ heads })).toEqual([TODAY, ...HOT.filter((date) => date !== TODAY), AHEAD, PAST]);
  });

  test('holds the dates that are not due yet apart, with when they are', () => {
    const { due, early } = planSampleAgenda({ heads: seen({}) });
    expect(due.map(({ slice }) => slice).sort()).toEqual(HOT);
    expect(early.map(({ slice }) => slice)).toEqual(DATES.filter((date) => !HOT.includes(date)));
    expect(early[0]).toMatchObject({ dueAt: NOON + 29 * MINUTE_MS, lateness: 0, isPulled: false });
  });

  test('holds a date with a held mass change within five minutes, however quiet it is', () => {
    const held = { field: 'processed', since: NOON - MINUTE_MS, records: 9, published: 0 };
    const state = { ...EMPTY_FEED_STATE, massChange: { [`${AHEAD} processed`]: held } };
    const dueIn = (agenda: ReturnType<typeof planSampleAgenda>) =>
      ((agenda.early.find(({ slice }) => slice === AHEAD)?.dueAt ?? 0) - NOON) / MINUTE_MS;
    expect(dueIn(planSampleAgenda({ heads: seen({}) }))).toBe(29);
    expect(dueIn(planSampleAgenda({ heads: seen({}), state }))).toBe(5);
  });

  test('expects of a date what its last scan found, and of a date without one what others have on average', () => {
    const heads = seen({
      [PAST]: { baselinedAt: null, recordCount: 7_000 },
      '2026-03-01': { recordCount: 100 },
      '2026-03-02': { recordCount: 1 },
      [TODAY]: { recordCount: 199 },
    });
    const expected = (known: typeof heads, date: string) =>
      planSampleAgenda({ scope: 'window', heads: known }).due.find(({ slice }) => slice === date);
    expect(expected(heads, '2026-03-01')).toMatchObject({ records: 100, expectedRecords: 100 });
    expect(expected(heads, AHEAD)).toMatchObject({ records: 0, expectedRecords: 0 });
    expect(expected(heads, PAST)).toMatchObject({ records: null, expectedRecords: 100 });
    expect(expected(new Map(), PAST)).toMatchObject({ records: null, expectedRecords: 0 });
    const one = new Map([...heads].filter(([date]) => date === '2026-03-01'));
    expect(expected(one, PAST)).toMatchObject({ records: null, expectedRecords: 100 });
  });
});

describe('a date is due', () => {
  test('at every poll from yesterday to tomorrow', () => {
    expect(planDueDates({ heads: seen({}) }).sort()).toEqual(HOT);
  });

  test('when it never had a complete scan', () => {
    expect(planDueDates({ heads: new Map() }).sort()).toEqual(DATES);
    expect(planDueDates({ heads: seen({ [PAST]: { baselinedAt: null } }) })).toContain(PAST);
  });

  test.each([
    [5 * MINUTE_MS - 15_001, false],
    [5 * MINUTE_MS - 15_000, true],
  ])('every five minutes at the latest while something is expected of it: after %i ms %s', (ago, due) => {
    const heads = seen({ [PAST]: { unsettledCount: 1, observedAt: NOON - ago } });
    expect(planDueDates({ heads }).includes(PAST)).toBe(due);
    const period = hint({ startDate: PAST, finishDate: PAST });
    const open = seen({ [PAST]: { observedAt: NOON - ago } });
    expect(planDueDates({ heads: open, payPeriods: [period] }).includes(PAST)).toBe(due);
  });

  test.each([
    [29 * MINUTE_MS - 15_001, false],
    [29 * MINUTE_MS - 15_000, true],
  ])('within half an hour when all is settled, or it lies ahead: after %i ms %s', (ago, due) => {
    const heads = seen({ [PAST]: { observedAt: NOON - ago }, [AHEAD]: { observedAt: NOON - ago } });
    const dates = planDueDates({ heads, payPeriods: [hint()] });
    expect([dates.includes(PAST), dates.includes(AHEAD)]).toEqual([due, due]);
  });

  test('every half hour when all but a few records of a closed pay period are settled', () => {
    const dueWith = (unsettledCount: number, closed: boolean) =>
      planDueDates({
        heads: seen({ [PAST]: { recordCount: 100, unsettledCount, observedAt: NOON - 10 * MINUTE_MS } }),
        payPeriods: [hint({ startDate: PAST, finishDate: PAST, closed })],
        rates: learned(0),
      }).includes(PAST);
    expect([dueWith(10, true), dueWith(11, true), dueWith(0, false)]).toEqual([false, true, true]);
    // Where no period is known, each of them counts.
    const heads = seen({
      [PAST]: { recordCount: 100, unsettledCount: 1, observedAt: NOON - 10 * MINUTE_MS },
    });
    expect(planDueDates({ heads, rates: learned(0) })).toContain(PAST);
  });

  test('counted from the last scan, committed or not', () => {
    const heads = seen({ [PAST]: { unsettledCount: 1, observedAt: NOON - 60 * MINUTE_MS } });
    const coverage = { [PAST]: { at: NOON - MINUTE_MS, revision: 4 } };
    expect(planDueDates({ heads })).toContain(PAST);
    expect(planDueDates({ heads, state: { ...EMPTY_FEED_STATE, coverage } })).not.toContain(PAST);
  });

  test('as if it had never been scanned, when the last scan lies in the future', () => {
    const heads = seen({ [PAST]: { observedAt: NOON + 24 * 60 * MINUTE_MS } });
    expect(planDueDates({ heads })).toContain(PAST);
    const ahead = { [PAST]: { at: NOON + 2 * MINUTE_MS, revision: 4 } };
    const old = seen({ [PAST]: { observedAt: NOON - 60 * MINUTE_MS } });
    expect(planDueDates({ heads: old, state: { ...EMPTY_FEED_STATE, coverage: ahead } })).toContain(PAST);
    expect(planDueDates({ heads: seen({ [PAST]: { observedAt: NOON + 1_000 } }) })).not.toContain(PAST);
  });

  test('at once when its pay period was pulled forward after the last scan', () => {
    const last = NOON - 3 * MINUTE_MS;
    const heads = seen({ [AHEAD]: { observedAt: last }, [PAST]: { observedAt: last } });
    const pulledBy = (at: number) => ({
      heads,
      payPeriods: [hint({ closed: true })],
      state: { ...EMPTY_FEED_STATE, pulls: { '3_7': { totals: hint().totals, at } } },
    });
    const dueAfter = (at: number) => planDueDates(pulledBy(at)).sort();
    const isPulled = (date: string) =>
      planSampleAgenda(pulledBy(last + 1)).due.find(({ slice }) => slice === date)?.isPulled;
    expect([isPulled(AHEAD), isPulled('2026-03-04')]).toEqual([true, false]);
    expect(dueAfter(last + 1)).toEqual([...HOT, AHEAD]);
    expect(dueAfter(last)).toEqual(HOT);
    expect(dueAfter(NOON + 60 * MINUTE_MS)).toEqual(HOT);
    const pulled = (at: number, known = heads) =>
      planSampleAgenda({ ...pulledBy(at), heads: known, scope: 'window' }).due.filter(
        (each) => each.isPulled,
      );
    expect(pulled(NOON + 1)).toEqual([]);
    expect(pulled(NOON).map(({ slice }) => slice)).toContain(AHEAD);
    expect(pulled(last + 1, new Map())).toEqual([]);
  });

  test('as if it had never been scanned, when no scan of it is known', () => {
    const baseline = { from: '', to: '', startedAt: NOON - 60 * MINUTE_MS, completedAt: null };
    const heads = seen({ [PAST]: { observedAt: null } });
    const { due } = planSampleAgenda({ heads, state: { ...EMPTY_FEED_STATE, baseline } });
    expect(due.find(({ slice }) => slice === PAST)?.owedSince).toBe(baseline.startedAt);
  });

  test('again only after its cadence, when the last scan did not see everything', () => {
    const heads = seen({ [PAST]: { unsettledCount: 1, observedAt: NOON - 60 * MINUTE_MS } });
    const dueAfter = (ago: number) =>
      planDueDates({ heads, state: { ...EMPTY_FEED_STATE, tried: { [PAST]: NOON - ago } } }).includes(PAST);
    expect([dueAfter(4 * MINUTE_MS), dueAfter(5 * MINUTE_MS)]).toEqual([false, true]);
    expect(dueAfter(-60 * MINUTE_MS)).toBe(true);
    expect(dueAfter(0)).toBe(false);
  });

  test('not while it cannot be read and its next try lies ahead', () => {
    const state = (nextAt: number) => ({ ...EMPTY_FEED_STATE, failing: { [TODAY]: { ...FAILING, nextAt } } });
    expect(planDueDates({ heads: seen({}), state: state(NOON + 60_000) })).not.toContain(TODAY);
    expect(planSampleAgenda({ heads: seen({}), state: state(NOON + 60_000) }).postponed).toEqual([TODAY]);
    const asked = { heads: seen({}), state: state(NOON + 60_000) };
    const scopes = (['window', 'readable'] as const).map((scope) => planSampleAgenda({ ...asked, scope }));
    expect(scopes.map(({ postponed }) => postponed)).toEqual([[], [TODAY]]);
    expect(scopes.map(({ due, window }) => window.length - due.length)).toEqual([0, 1]);
    expect(planDueDates({ heads: seen({}), state: state(NOON) })).toContain(TODAY);
    expect(planDueDates({ heads: seen({}), state: state(NOON + 60_000), scope: 'window' })).toContain(TODAY);
    // A poll with a wrong clock said so: no wait is that long.
    expect(planDueDates({ heads: seen({}), state: state(NOON + 24 * 60 * MINUTE_MS) })).toContain(TODAY);
  });

  test('after five minutes when its scan was incomplete, however long its cadence is', () => {
    const heads = seen({ [AHEAD]: { observedAt: NOON - 60 * MINUTE_MS } });
    const dueAfter = (minutes: number) =>
      planDueDates({ heads, state: { ...EMPTY_FEED_STATE, tried: { [AHEAD]: NOON - minutes * MINUTE_MS } } });
    expect(dueAfter(4)).not.toContain(AHEAD);
    expect(dueAfter(5)).toContain(AHEAD);
  });

  test('when its own wait is over, if it failed', () => {
    const heads = seen({ [AHEAD]: { observedAt: NOON - 60 * MINUTE_MS } });
    const failed = { since: 0, attempts: 1, nextAt: NOON, code: 'source_failed', told: false };
    const state = { ...EMPTY_FEED_STATE, failing: { [AHEAD]: failed }, tried: { [AHEAD]: NOON - MINUTE_MS } };
    expect(planDueDates({ heads, state })).toContain(AHEAD);
  });

  test('sooner when many changes are expected of such dates at this time of the week', () => {
    const ago = 3 * MINUTE_MS;
    const heads = seen({ [PAST]: { unsettledCount: 1, recordCount: 200, observedAt: NOON - ago } });
    const dueAfter = (changes: number) => planDueDates({ heads, rates: learned(changes) }).includes(PAST);
    expect([dueAfter(1), dueAfter(200)]).toEqual([false, true]);
  });

  test('sooner while the changes that the last scan found go on', () => {
    const at = NOON - 2 * MINUTE_MS;
    const heads = seen({ [PAST]: { unsettledCount: 1, observedAt: at } });
    const dueAfter = (rate: number) =>
      planDueDates({
        heads,
        rates: learned(0),
        state: { ...EMPTY_FEED_STATE, bursts: { [PAST]: rate } },
      }).includes(PAST);
    expect([dueAfter(0.0001), dueAfter(0.1)]).toEqual([false, true]);
  });

  test('the later, the more pages its scan costs and the longer ago the changes were', () => {
    const cadenceOf = (values: Partial<SliceHead>, bursts: Readonly<Record<string, number>>) =>
      planSampleAgenda({
        scope: 'window',
        heads: seen({ [PAST]: { unsettledCount: 1, ...values } }),
        rates: learned(0),
        state: { ...EMPTY_FEED_STATE, bursts },
      }).due.find(({ slice }) => slice === PAST)?.cadenceMs ?? 0;
    const often = { [PAST]: 0.01 };
    const one = cadenceOf({ recordCount: 200 }, often);
    expect(one).toBeCloseTo(20_000, -3);
    expect(cadenceOf({ recordCount: 0 }, often)).toBe(one);
    expect(cadenceOf({ recordCount: 201 }, often) / one).toBeCloseTo(Math.sqrt(2));
    // Changes halve in five minutes.
    expect(cadenceOf({ recordCount: 200, observedAt: NOON - 5 * MINUTE_MS }, often) / one).toBeCloseTo(
      Math.sqrt(2),
    );
    expect(cadenceOf({ recordCount: 200, observedAt: NOON + 1_000 }, often)).toBe(one);
    expect(cadenceOf({ recordCount: 200 }, { [PAST]: 1 })).toBe(15_000);
  });

  test('with the longest cadence while it was never scanned, however many records moved there', () => {
    const heads = seen({ [PAST]: { baselinedAt: null, unsettledCount: 9_000, recordCount: 9_000 } });
    expect(planSampleAgenda({ heads }).due.find(({ slice }) => slice === PAST)?.cadenceMs).toBe(
      5 * MINUTE_MS,
    );
  });
});

describe('the most overdue goes first', () => {
  test('in the longest cadences of its class, so that busy dates do not crowd out quiet ones', () => {
    const heads = seen({
      [PAST]: { unsettledCount: 1, observedAt: NOON - 20 * MINUTE_MS },
      '2026-03-02': { unsettledCount: 1, observedAt: NOON - 15 * MINUTE_MS },
    });
    const state = { ...EMPTY_FEED_STATE, bursts: { '2026-03-02': 9 } };
    const latenessOf = (date: string) =>
      planSampleAgenda({ heads, state, rates: learned(0) }).due.find(({ slice }) => slice === date)?.lateness;
    expect(latenessOf(PAST)).toBeCloseTo(3);
    expect(latenessOf('2026-03-02')).toBeLessThan(3);
  });

  test('by its cadence, behind the hot dates', () => {
    const heads = seen({
      '2026-02-27': { unsettledCount: 1, observedAt: NOON - 11 * MINUTE_MS },
      [PAST]: { unsettledCount: 1, observedAt: NOON - 20 * MINUTE_MS },
      [AHEAD]: { observedAt: NOON - 50 * MINUTE_MS },
    });
    expect(planDueDates({ heads }).slice(3)).toEqual([PAST, '2026-02-27', AHEAD]);
  });

  test('but those that a closing waits for come before them, and after the hot ones', () => {
    const heads = seen({
      [PAST]: { unsettledCount: 1, observedAt: NOON - 20 * MINUTE_MS },
      [AHEAD]: { observedAt: NOON - 290 * MINUTE_MS },
    });
    const period = hint({ closed: true, closedBetween: { after: 0, by: NOON - 280 * MINUTE_MS } });
    expect(planDueDates({ heads, payPeriods: [period] }).slice(3)).toEqual([AHEAD, PAST]);
    const recent = seen({
      [PAST]: { unsettledCount: 1, observedAt: NOON - 20 * MINUTE_MS },
      [AHEAD]: { observedAt: NOON - 11 * MINUTE_MS },
    });
    const closed = hint({ closed: true, closedBetween: { after: 0, by: NOON - 10 * MINUTE_MS } });
    expect(planDueDates({ heads: recent, payPeriods: [closed] }).slice(3)).toEqual([AHEAD, PAST]);
  });

  test('but of hot dates the busiest, until one has missed a whole minute', () => {
    const [yesterday = '', , tomorrow = ''] = HOT;
    const planAt = (tomorrowSeenAt: number) =>
      planDueDates({
        heads: seen({
          [yesterday]: { observedAt: NOON - 70_000 },
          [TODAY]: { observedAt: NOON - 30_000, unsettledCount: 1_000 },
          [tomorrow]: { observedAt: tomorrowSeenAt },
        }),
      });
    expect(planAt(NOON - 80_000)).toEqual([TODAY, yesterday, tomorrow]);
    expect(planAt(NOON - 120_000)).toEqual([tomorrow, TODAY, yesterday]);
  });

  test('and of dates that are equally late the nearest to today, the earlier of two', () => {
    const dates = planDueDates({ heads: new Map() });
    expect(dates.slice(0, 3)).toEqual([TODAY, '2026-03-04', '2026-03-06']);
    expect(dates.slice(3)).toEqual([
      '2026-03-03',
      '2026-03-07',
      '2026-03-02',
      '2026-03-08',
      '2026-03-01',
      PAST,
      '2026-02-27',
    ]);
  });

  test('and dates that were never scanned are due since the baseline began, nearest to today first', () => {
    const baseline = { from: '', to: '', startedAt: NOON - 60 * MINUTE_MS, completedAt: null };
    const due = planSampleAgenda({ state: { ...EMPTY_FEED_STATE, baseline } }).due.slice(3);
    expect(due[0]?.slice).toBe('2026-03-03');
    expect(new Set(due.map(({ owedSince }) => owedSince))).toEqual(new Set([baseline.startedAt]));
  });
});

/** So many changes on 1,000 records of every kind of date, in the half hour of the week in which noon is. */
function learned(changes: number) {
  const records = {
    today: 1_000,
    yesterday: 1_000,
    tomorrow: 1_000,
    recent: 1_000,
    older: 1_000,
    ahead: 1_000,
  };
  const week = 7 * 24 * 60 * MINUTE_MS;
  const on = new Map(DATES.map((date) => [date.replace('-03-', '-02-'), 0]));
  const from = NOON - week;
  const dates = new Map(
    [...on.keys(), '2026-02-26', '2026-02-24', '2026-02-10'].map((date) => [date, changes]),
  );
  const seenChanges = { timeZone: 'UTC', changes: dates, records };
  const { count } = learnChanges(NO_RATES, undefined, { ...seenChanges, now: from });
  const over = learnChanges(NO_RATES, count, {
    ...seenChanges,
    changes: new Map(),
    now: from + 30 * MINUTE_MS,
  });
  return over.rates ?? NO_RATES;
}
