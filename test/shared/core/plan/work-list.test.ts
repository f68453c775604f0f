import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, listDates } from '#shared/core/dates.ts';
import type { DueSlice } from '#shared/core/plan/agenda.ts';
import { buildPart, MAX_SCAN_RECORDS } from '#shared/core/plan/parts.ts';
import { type FetchBudget, WorkList } from '#shared/core/plan/work-list.ts';
import { holds } from '../properties.ts';
import { dueSlice as due, HOT, TODAY } from './agendas.ts';

const PLENTY: FetchBudget = { leftMs: 1e9, wholeMs: 1e9, hotMs: 0, msPerPage: 1, pageSize: 200 };

const ORDINARY = { isHot: false, expectedRecords: 100 };

describe('a work list', () => {
  test('gives the hot dates first, as one part', () => {
    const work = new WorkList([...HOT.map((slice) => due(slice, { class: 'hot' })), due('2026-03-03')]);
    expect(slicesOf(work.next(PLENTY))).toEqual(HOT);
    expect(slicesOf(work.next(PLENTY))).toEqual(['2026-03-03']);
    expect(work.next(PLENTY)).toBeNull();
  });

  test('takes neighbours along that are owed about as much', () => {
    const work = new WorkList([
      due('2026-02-20', { lateness: 4 }),
      due('2026-02-23', { lateness: 4 }),
      due('2026-02-21', { lateness: 1.5 }),
      due('2026-02-19', { lateness: 1.4 }),
    ]);
    expect(slicesOf(work.next(PLENTY))).toEqual(['2026-02-20', '2026-02-21']);
    expect(slicesOf(work.next(PLENTY))).toEqual(['2026-02-23']);
    expect(slicesOf(work.next(PLENTY))).toEqual(['2026-02-19']);
  });

  test('takes neighbours along that cost no page of their own, however little they are owed', () => {
    const small = { records: 20 };
    const work = new WorkList([
      due('2026-02-20', { lateness: 4, ...small }),
      due('2026-02-21', { lateness: 0, ...small }),
    ]);
    expect(slicesOf(work.next(PLENTY))).toEqual(['2026-02-20', '2026-02-21']);
  });

  test('takes dates along that are not due yet, where the pages that are asked for anyway hold them whole', () => {
    const early = (slice: string, values: Partial<DueSlice> = {}) =>
      due(slice, { owedSince: 9, dueAt: 9, lateness: 0, records: 150, ...values });
    const partWith = (...notDue: DueSlice[]) =>
      slicesOf(new WorkList([due('2026-02-20', { records: 1_050 })], 0, notDue).next(PLENTY));
    expect(partWith(early('2026-02-21'))).toEqual(['2026-02-20', '2026-02-21']);
    expect(
      partWith(early('2026-02-21', { records: 100 }), early('2026-02-22', { records: 50 })),
    ).toHaveLength(3);
    for (const stays of [
      early('2026-02-21', { records: 151 }),
      early('2026-02-22'),
      early('2026-02-21', { records: null, expectedRecords: 0 }),
      early('2026-02-21', { isAlone: true }),
      early('2026-02-21', { class: 'hot' }),
      // It was tried a moment ago, and not seen whole.
      early('2026-02-21', { dueAt: 10 }),
    ])
      expect(partWith(stays)).toEqual(['2026-02-20']);
  });

  test('gives a date that came along early to one part alone, and none when nothing is due', () => {
    const early = [due('2026-02-21', { records: 0 })];
    const work = new WorkList([due('2026-02-20'), due('2026-02-22')], 0, early);
    expect([slicesOf(work.next(PLENTY)), slicesOf(work.next(PLENTY))]).toEqual([
      ['2026-02-20', '2026-02-21'],
      ['2026-02-22'],
    ]);
    expect(new WorkList([], 0, early).next(PLENTY)).toBeNull();
  });

  test('cuts parts to a tenth of the time that is left, and hot ones to half of the time of the poll', () => {
    const dates = listDates({ from: '2026-02-01', to: '2026-02-20' });
    const allowance = { ...PLENTY, leftMs: 100_000, wholeMs: 200_000, msPerPage: 1_000 };
    const first = (slices: readonly DueSlice[], values: Partial<FetchBudget> = {}) =>
      new WorkList(slices).next({ ...allowance, ...values });
    const active = dates.map((slice) => due(slice, { records: 400 }));
    // Ten pages of the hundred that there is time for: five dates of two pages.
    expect(first(active)).toMatchObject({ maxRecords: 2_000, part: { slices: dates.slice(0, 5) } });
    expect(first(active, { leftMs: 50_000 })).toMatchObject({
      maxRecords: 1_000,
      part: { slices: dates.slice(0, 2) },
    });
    expect(first(active, { leftMs: 500 })).toMatchObject({
      maxRecords: 200,
      part: { slices: dates.slice(0, 1) },
    });
    const hot = HOT.map((slice) => due(slice, { class: 'hot', records: 400 }));
    expect(first(hot, { leftMs: 8_000 })).toMatchObject({ maxRecords: 1_600, part: { slices: HOT } });
    expect(first(hot)).toMatchObject({ maxRecords: MAX_SCAN_RECORDS });
    expect(first(hot, { wholeMs: 100_000, leftMs: 90_000 })).toMatchObject({ maxRecords: 10_000 });
  });

  test('estimates how long all of it takes', () => {
    const work = new WorkList([due('2026-02-20', { records: 401 }), due('2026-02-25', { records: 0 })]);
    expect(work.expectedMs({ ms: 100, size: 200 })).toBe(400);
    work.next(PLENTY);
    work.putBack([buildPart(['2026-02-10'], { isHot: false, expectedRecords: 200 })], 'last');
    expect(work.expectedMs({ ms: 100, size: 200 })).toBe(200);
  });

  test('gives the class that is scanned rarely a third of the turns while both are late', () => {
    const active = listDates({ from: '2026-02-01', to: '2026-02-20' }).filter((_, nth) => nth % 2 === 0);
    const settled = ['2026-03-10', '2026-03-12', '2026-03-14'];
    const work = new WorkList([
      ...active.map((slice) => due(slice, { lateness: 9 })),
      ...settled.map((slice) => due(slice, { class: 'settled', lateness: 1 })),
    ]);
    const order = Array.from({ length: 9 }, () => slicesOf(work.next(PLENTY))[0] ?? '');
    expect(order.map((slice) => settled.includes(slice))).toEqual([
      false,
      false,
      true,
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  test('gives classes their turns whichever is later, and goes on where the poll before stopped', () => {
    const dates = [
      ...['2026-03-10', '2026-03-12'].map((slice) => due(slice, { class: 'settled', lateness: 9 })),
      ...['2026-02-01', '2026-02-03', '2026-02-05'].map((slice) => due(slice, { lateness: 1 })),
    ];
    const work = new WorkList(dates);
    const order = Array.from({ length: 5 }, () => slicesOf(work.next(PLENTY))[0]);
    expect(order).toEqual(['2026-02-01', '2026-02-03', '2026-03-10', '2026-02-05', '2026-03-12']);

    expect(work.rotation).toBe(5 % 3);
    expect(slicesOf(new WorkList(dates, 2).next(PLENTY))).toEqual(['2026-03-10']);
  });

  test('knows what is left of it, pieces and failed parts included', () => {
    const work = new WorkList([due(TODAY, { class: 'hot' }), due('2026-03-02'), due('2026-02-20')]);
    work.putBack([buildPart(['2026-02-10', '2026-02-11'], ORDINARY)], 'first');
    work.putBack([buildPart(['2026-02-12', '2026-03-02'], ORDINARY)], 'last');
    expect(work.remaining.toSorted()).toEqual(
      ['2026-02-10', '2026-02-11', '2026-02-12', '2026-02-20', '2026-03-02', TODAY].toSorted(),
    );
    expect(work.expectedMs({ ms: 100, size: 200 })).toBe(3 * 500 + 2 * 100);
  });

  test('knows whether hot dates come next, and whether others are left', () => {
    const [hot, other] = [due(TODAY, { class: 'hot' }), due('2026-03-02')];
    const hotPart = buildPart([TODAY], { isHot: true, expectedRecords: 1 });
    const otherPart = buildPart(['2026-03-02'], ORDINARY);
    const listOf = (
      slices: readonly DueSlice[],
      first: (typeof hotPart)[] = [],
      last: (typeof hotPart)[] = [],
    ) => {
      const work = new WorkList(slices);
      work.putBack(first, 'first');
      work.putBack(last, 'last');
      return [work.hasHot, work.hasOthers];
    };
    expect(listOf([])).toEqual([false, false]);
    expect(listOf([hot])).toEqual([true, false]);
    expect(listOf([other])).toEqual([false, true]);
    expect(listOf([hot, other])).toEqual([true, true]);
    expect(listOf([other, hot])).toEqual([false, true]);
    expect(listOf([], [hotPart])).toEqual([true, false]);
    expect(listOf([], [hotPart, otherPart])).toEqual([true, true]);
    expect(listOf([], [otherPart])).toEqual([false, true]);
    expect(listOf([], [], [hotPart])).toEqual([false, false]);
    expect(listOf([], [], [otherPart])).toEqual([false, true]);
  });

  test('takes up what became due meanwhile, before everything else and once', () => {
    const work = new WorkList([due('2026-02-20', { lateness: 9 }), due('2026-03-02', { lateness: 3 })]);
    work.putBack([buildPart(['2026-02-10'], ORDINARY)], 'first');
    work.addDue([due(TODAY, { class: 'hot' }), due('2026-02-20', { lateness: 0, records: 7 })], 5_000);
    expect([4_999, 5_000, 5_001].map((at) => work.wasAddedSince(TODAY, at))).toEqual([true, false, false]);
    expect(work.expectedMs({ ms: 100, size: 200 })).toBe(500 + 100 + 500 + 100);
    const order = Array.from({ length: 4 }, () => work.next(PLENTY));
    expect(order.map(slicesOf)).toEqual([[TODAY], ['2026-02-10'], ['2026-02-20'], ['2026-03-02']]);
    expect(order[2]?.part.expectedRecords).toBe(7);
    expect(work.next(PLENTY)).toBeNull();
  });

  test('keeps parts that do not fit into the time, and gives each of the others', () => {
    const work = new WorkList([due('2026-02-20', { records: 0 })]);
    const short = { ...PLENTY, leftMs: 5_000, msPerPage: 1_000 };
    work.next(short);
    const large = buildPart(['2026-02-10'], { isHot: false, expectedRecords: 2_000 });
    const small = ['2026-02-12', '2026-02-14'].map((date) => buildPart([date], ORDINARY));
    work.putBack([...small, large], 'last');
    expect([work.next(short), work.next(short), work.next(short)].map(slicesOf)).toEqual([
      ['2026-02-12'],
      ['2026-02-14'],
      [],
    ]);
    expect(work.remaining).toEqual(['2026-02-10']);
  });

  test('leaves a date that does not fit into the time to the next poll, which begins with it', () => {
    const large = due('2026-02-20', { lateness: 9, records: 2_000 });
    const short = { ...PLENTY, leftMs: 5_000, msPerPage: 1_000 };
    const work = new WorkList([large, due('2026-02-23')]);
    expect(slicesOf(work.next(short))).toEqual(['2026-02-20']);
    const next = new WorkList([due('2026-02-25'), large, due('2026-02-23')]);
    next.next(short);
    expect(slicesOf(next.next(short))).toEqual(['2026-02-23']);
    expect(next.next(short)).toBeNull();
    expect(next.remaining).toEqual(['2026-02-20']);
  });

  test('goes on when what a page takes was only guessed, and the first request measured nothing', () => {
    const slow = { ...PLENTY, leftMs: 40_000, msPerPage: 45_000 };
    const work = new WorkList([due(TODAY, { class: 'hot' }), due('2026-03-03')]);
    expect(slicesOf(work.next({ ...slow, isGuess: true }))).toEqual([TODAY]);
    expect(work.next({ ...slow, isGuess: false })).toBeNull();
    expect(slicesOf(work.next({ ...slow, isGuess: true }))).toEqual(['2026-03-03']);
  });

  test('gives hot dates half of the time at most while others are late', () => {
    const hot = due(TODAY, { class: 'hot', records: 2_000 });
    const allowance = { ...PLENTY, leftMs: 50_000, wholeMs: 100_000, msPerPage: 1_000, hotMs: 45_000 };
    expect(slicesOf(new WorkList([hot, due('2026-02-23')]).next(allowance))).toEqual(['2026-02-23']);
    expect(slicesOf(new WorkList([hot]).next(allowance))).toEqual([TODAY]);
    const first = (hotMs: number) =>
      slicesOf(new WorkList([hot, due('2026-02-23')]).next({ ...allowance, hotMs }))[0];
    // Ten pages, of which each takes a second.
    expect([0, 40_000, 40_001].map(first)).toEqual([TODAY, TODAY, '2026-02-23']);
    expect(
      slicesOf(new WorkList([hot, due('2026-02-23')]).next({ ...allowance, wholeMs: 10_000, hotMs: 0 })),
    ).toEqual([TODAY]);
    // The half is of the hot dates alone.
    const large = due('2026-02-23', { records: 8_000 });
    expect(slicesOf(new WorkList([large]).next({ ...allowance, hotMs: 45_000 }))).toEqual(['2026-02-23']);
  });

  test('reckons in whole pages, and a page with a millisecond at least', () => {
    const first = (values: Partial<FetchBudget>) =>
      new WorkList([due('2026-02-20')]).next({ ...PLENTY, ...values })?.maxRecords;
    expect(first({ leftMs: 19_900, msPerPage: 1_000 })).toBe(200);
    expect(first({ leftMs: 20_000, msPerPage: 1_000 })).toBe(400);
    expect(first({ leftMs: 100, msPerPage: 0, pageSize: 10 })).toBe(100);
    expect(first({ leftMs: 100, msPerPage: 1, pageSize: 10 })).toBe(100);
  });

  test('begins with a date that takes longer than hot dates leave, once it is later for its cadence', () => {
    const hot = due(TODAY, { class: 'hot', records: 2_000, lateness: 3 });
    const allowance = { ...PLENTY, leftMs: 45_000, wholeMs: 45_000, msPerPage: 1_000 };
    const first = (other: Partial<DueSlice>, values: Partial<DueSlice> = {}) =>
      slicesOf(new WorkList([{ ...hot, ...values }, due('2026-02-23', other)]).next(allowance))[0];
    expect(first({ records: 5_000, lateness: 4 })).toBe('2026-02-23');
    expect(first({ records: 5_000, lateness: 3 })).toBe(TODAY);
    expect(first({ records: 4_000, lateness: 4 })).toBe(TODAY);
    const even = { ...allowance, wholeMs: 46_000 };
    const asLong = due('2026-02-23', { records: 4_600, lateness: 4 });
    expect(slicesOf(new WorkList([hot, asLong]).next(even))).toEqual([TODAY]);
    // A hot date that needs more than its half leaves less.
    expect(first({ records: 4_000, lateness: 4 }, { records: 5_200, expectedRecords: 5_200 })).toBe(
      '2026-02-23',
    );
    const later = new WorkList([
      hot,
      due('2026-02-23', { records: 5_000 }),
      due('2026-02-25', { records: 0 }),
    ]);
    later.next(allowance);
    expect(slicesOf(later.next({ ...allowance, leftMs: 30_000 }))).toEqual(['2026-02-23']);
  });

  test('takes no date before hot ones that became due meanwhile', () => {
    const allowance = { ...PLENTY, leftMs: 45_000, wholeMs: 45_000, msPerPage: 1_000 };
    const work = new WorkList([
      due('2026-02-10', { records: 200 }),
      due('2026-02-23', { records: 5_000, lateness: 4 }),
    ]);
    expect(slicesOf(work.next(allowance))).toEqual(['2026-02-10']);
    work.addDue([due(TODAY, { class: 'hot', records: 200, lateness: 3 })], 0);
    expect(slicesOf(work.next(allowance))).toEqual([TODAY]);
  });

  test('gives early dates to each of its parts', () => {
    const early = ['2026-02-21', '2026-02-26'].map((date) => due(date, { records: 0 }));
    const work = new WorkList([due('2026-02-20'), due('2026-02-25')], 0, early);
    expect([slicesOf(work.next(PLENTY)), slicesOf(work.next(PLENTY))]).toEqual([
      ['2026-02-20', '2026-02-21'],
      ['2026-02-25', '2026-02-26'],
    ]);
  });

  test('goes on at once with the pieces of a part, and at the end with what failed', () => {
    const work = new WorkList([due('2026-02-20'), due('2026-02-25')]);
    work.next(PLENTY);
    work.putBack([buildPart(['2026-02-10'], ORDINARY)], 'last');
    work.putBack([buildPart(['2026-02-11'], ORDINARY)], 'first');
    const order = [work.next(PLENTY), work.next(PLENTY), work.next(PLENTY)].map((each) => slicesOf(each)[0]);
    expect(order).toEqual(['2026-02-11', '2026-02-25', '2026-02-10']);
  });

  test('gives each slice once, in parts of neighbours that hold no more than they may', () => {
    holds(
      fc.property(
        fc.array(fc.record({ records: fc.nat(9_000), due: fc.boolean(), lateness: fc.nat(9) }), {
          minLength: 30,
          maxLength: 30,
        }),
        fc.integer({ min: 1, max: 400 }),
        (days, msPerPage) => {
          const slices = days.flatMap(({ due: isDue, ...values }, nth) =>
            isDue ? [due(addDays('2026-02-01', nth), values)] : [],
          );
          const work = new WorkList(slices);
          const given: string[] = [];
          for (;;) {
            const assignment = work.next({ ...PLENTY, leftMs: 1e6, msPerPage });
            if (assignment === null) break;
            const { part, maxRecords } = assignment;
            expect(part.range && listDates(part.range)).toEqual(part.slices);
            const records = slices.filter(({ slice }) => part.slices.includes(slice));
            const sum = records.reduce((total, each) => total + (each.records ?? 0), 0);
            expect(part.slices.length === 1 || sum <= maxRecords).toBe(true);
            expect(maxRecords).toBeLessThanOrEqual(MAX_SCAN_RECORDS);
            given.push(...part.slices);
          }
          expect(given.toSorted()).toEqual(slices.map(({ slice }) => slice));
        },
      ),
    );
  });
});

function slicesOf(assignment: ReturnType<WorkList['next']>): readonly string[] {
  return assignment?.part.slices ?? [];
}
