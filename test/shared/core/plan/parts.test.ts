import { describe, expect, test } from 'vitest';
import { listDates } from '#shared/core/dates.ts';
import type { DueSlice } from '#shared/core/plan/agenda.ts';
import { buildPart, buildPartAround, buildParts, cutPart, halvePart } from '#shared/core/plan/parts.ts';
import { dueSlice, TODAY } from './agendas.ts';

const ORDINARY = { isHot: false, expectedRecords: 100 };
const DATES = listDates({ from: '2026-02-01', to: '2026-02-10' });

describe('a part', () => {
  const part = buildPart(DATES, ORDINARY);

  test('has its dates in order and the range from the first to the last; the whole list has none', () => {
    expect(buildPart(['2026-02-03', '2026-02-01', '2026-02-02'], ORDINARY)).toEqual({
      ...ORDINARY,
      range: { from: '2026-02-01', to: '2026-02-03' },
      slices: ['2026-02-01', '2026-02-02', '2026-02-03'],
    });
    expect(buildPart([TODAY], ORDINARY).range).toEqual({ from: TODAY, to: TODAY });
    expect(buildPart(['all'], ORDINARY).range).toBeNull();
  });

  test('of some of its dates is one for each run of days, with its share of the records', () => {
    const some = ['2026-02-08', '2026-02-01', '2026-02-02', '2026-02-05', '2026-02-03'];
    const parts = buildParts(some, { ...part, isHot: true });
    expect(parts).toEqual([
      buildPart(DATES.slice(0, 3), { isHot: true, expectedRecords: 30 }),
      buildPart(['2026-02-05'], { isHot: true, expectedRecords: 10 }),
      buildPart(['2026-02-08'], { isHot: true, expectedRecords: 10 }),
    ]);
    expect(buildParts([], part)).toEqual([]);
  });

  test('is halved in order until it is one date', () => {
    expect(halvePart(part)).toEqual([
      buildPart(DATES.slice(0, 5), { isHot: false, expectedRecords: 50 }),
      buildPart(DATES.slice(5), { isHot: false, expectedRecords: 50 }),
    ]);
    const sizes = (count: number) =>
      halvePart(buildPart(DATES.slice(0, count), ORDINARY)).map(({ slices }) => slices.length);
    expect([5, 3, 2, 1].map(sizes)).toEqual([[3, 2], [2, 1], [1, 1], []]);
    expect(halvePart(buildPart(['all'], ORDINARY))).toEqual([]);
  });

  test('that holds too much is cut into pieces that are expected to fit, and always into two at least', () => {
    const cut = (totalRecords: number, maxRecords: number) => cutPart(part, { totalRecords, maxRecords });
    const sizes = (totalRecords: number, maxRecords: number) =>
      cut(totalRecords, maxRecords).map(({ slices }) => slices.length);
    expect(sizes(100_000, 20_000)).toEqual([2, 2, 2, 2, 2]);
    expect(sizes(100_000, 39_999)).toEqual([3, 3, 3, 1]);
    expect(sizes(100_000, 100)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(sizes(20_001, 20_000)).toEqual([9, 1]);
    expect(sizes(100, 20_000)).toEqual([9, 1]);
    expect(cut(30_000, 20_000).map(({ expectedRecords }) => expectedRecords)).toEqual([18_000, 12_000]);
  });
});

describe('around a date that is due, a part', () => {
  const FIRST = '2026-02-05';
  const around = (
    first: Partial<DueSlice>,
    due: readonly DueSlice[],
    { early = [], maxRecords = 20_000 }: { early?: readonly DueSlice[]; maxRecords?: number } = {},
  ) => buildPartAround(dueSlice(FIRST, first), { due, early }, { maxRecords, pageSize: 200 });
  const next = (values: Partial<DueSlice> = {}) => dueSlice('2026-02-06', values);

  test('of the whole list is that list, and hot', () => {
    expect(around({ slice: 'all' }, [next()])).toEqual(
      buildPart(['all'], { isHot: true, expectedRecords: 0 }),
    );
  });

  test('holds the dates on both sides of it, and on theirs', () => {
    const due = ['2026-02-02', '2026-02-03', '2026-02-04', '2026-02-06', '2026-02-08'].map((date) =>
      dueSlice(date),
    );
    expect(around({}, due)).toEqual(buildPart(DATES.slice(1, 6), { isHot: false, expectedRecords: 5_000 }));
  });

  test.each<[string, Partial<DueSlice>, Partial<DueSlice>, boolean]>([
    ['that is like it', {}, {}, true],
    ['after it failed before', { isAlone: true }, {}, false],
    ['that failed before', {}, { isAlone: true }, false],
    ['when both were never counted', { records: null }, { records: null }, true],
    ['that was never counted', {}, { records: null }, false],
    ['that was counted, when it was not', { records: null }, {}, false],
    ['that is hot', {}, { class: 'hot' }, false],
    ['when both are hot', { class: 'hot' }, { class: 'hot' }, true],
    ['that is half as late', { lateness: 3 }, { lateness: 1 }, true],
    ['that is less late', { lateness: 3.1 }, { lateness: 1 }, false],
    [
      'that is less late, on the same page',
      { lateness: 9, expectedRecords: 150 },
      { lateness: 0, expectedRecords: 50 },
      true,
    ],
    [
      'that is less late, on a page more',
      { lateness: 9, expectedRecords: 150 },
      { lateness: 0, expectedRecords: 51 },
      false,
    ],
  ])('takes the next date along %s: %o %o %s', (...[, first, second, isTaken]) => {
    const part = around({ expectedRecords: 1_000, ...first }, [next({ expectedRecords: 1_000, ...second })]);
    expect(part.slices).toEqual(isTaken ? [FIRST, '2026-02-06'] : [FIRST]);
  });

  test.each([
    [2_000, 2],
    [1_999, 1],
  ])('holds no more than %i records, but its first date', (maxRecords, dates) => {
    expect(around({}, [next()], { maxRecords }).slices).toHaveLength(dates);
  });

  test.each<[string, Partial<DueSlice>, Partial<DueSlice>, boolean]>([
    ['that fits into the last page', { records: 1_050 }, { records: 150 }, true],
    ['that does not', { records: 1_050 }, { records: 151 }, false],
    ['that needs a second page', { records: 100 }, { records: 150 }, false],
    ['that is empty, like the first', { records: 0 }, { records: 0 }, true],
    [
      'that was never counted, like the first',
      { records: null, expectedRecords: 0 },
      { records: null, expectedRecords: 0 },
      false,
    ],
    ['that was tried a moment ago', { records: 1_050 }, { records: 150, dueAt: 10 }, false],
  ])('takes a date along that is not due yet and %s: %o %o %s', (...[, first, second, isTaken]) => {
    const early = [next({ owedSince: 9, dueAt: 9, lateness: 0, ...second })];
    expect(around(first, [], { early }).slices).toHaveLength(isTaken ? 2 : 1);
  });

  test('holds no date that is not due yet beyond its bound', () => {
    const early = [next({ records: 100, lateness: 0 })];
    expect(around({ records: 1_050 }, [], { early, maxRecords: 1_149 }).slices).toEqual([FIRST]);
    expect(around({ records: 1_050 }, [], { early, maxRecords: 1_150 }).slices).toHaveLength(2);
  });
});
