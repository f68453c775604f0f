import { describe, expect, test } from 'vitest';
import { computeNextCheckAt, isUnproven, recordAsk, selectDueChecks } from '#shared/core/compare/unlisted.ts';
import { MINUTE_MS, NOW } from '#test/support/builders.ts';

const absent = (id: string, asks?: number, askedAt = NOW) => ({
  slice: '2026-03-05',
  row: { id, ...(asks === undefined ? {} : { unlisted: { asks, askedAt } }) },
});

describe('a record that its list leaves out', () => {
  test.each([
    [1, 1],
    [2, 2],
    [3, 4],
    [4, 8],
    [6, 32],
    [7, 60],
    [40, 60],
  ])('is asked for again, after %i times, within %i minutes', (asks, minutes) => {
    for (const id of ['1_1', '2_1', '3_1', '4_1']) {
      const wait = ((computeNextCheckAt(absent(id, asks).row) ?? 0) - NOW) / MINUTE_MS;
      expect(wait).toBeLessThanOrEqual(minutes);
      expect(wait).toBeGreaterThanOrEqual(0.75 * minutes);
    }
  });

  test('is not due with all others', () => {
    const waits = Array.from({ length: 100 }, (_, n) => computeNextCheckAt(absent(`${n}_1`, 7).row));
    expect(new Set(waits).size).toBe(100);
  });

  test('comes after those that were never asked for, and the longest overdue come first', () => {
    const rows = [
      absent('late', 1, NOW - 10 * MINUTE_MS),
      absent('not yet', 7, NOW - 10 * MINUTE_MS),
      absent('new'),
      absent('later', 1, NOW - 20 * MINUTE_MS),
    ];
    expect(selectDueChecks(rows, NOW).map(({ row }) => row.id)).toEqual(['new', 'later', 'late']);
  });

  test('is due from its instant on', () => {
    const row = absent('1_1', 2);
    const at = computeNextCheckAt(row.row) ?? 0;
    expect(selectDueChecks([row], at - 1)).toEqual([]);
    expect(selectDueChecks([row], at)).toEqual([row]);
    expect(isUnproven(row.row, new Map(), at - 1)).toBe(false);
    expect(isUnproven(row.row, new Map(), at)).toBe(true);
    expect(isUnproven(row.row, new Map([['1_1', {}]]), at)).toBe(false);
    expect(isUnproven(absent('1_1').row, new Map(), NOW)).toBe(true);
  });

  test('is due when it was asked for with a clock that was ahead', () => {
    const ahead = absent('1_1', 2, NOW + 24 * 60 * MINUTE_MS);
    expect(selectDueChecks([ahead, absent('2_1', 1, NOW + MINUTE_MS / 2)], NOW)).toEqual([ahead]);
  });

  test('counts its questions, from the beginning when it was listed in between', () => {
    expect(recordAsk(absent('1_1').row, NOW)).toEqual({ asks: 1, askedAt: NOW });
    const soon = absent('1_1', 3, NOW - 5 * MINUTE_MS).row;
    expect(recordAsk(soon, NOW)).toEqual({ asks: 4, askedAt: NOW });
    const due = computeNextCheckAt(soon) ?? 0;
    expect(recordAsk(soon, due + 180 * MINUTE_MS)).toMatchObject({ asks: 4 });
    expect(recordAsk(soon, due + 180 * MINUTE_MS + 1)).toMatchObject({ asks: 1 });
    const long = absent('1_1', 3, NOW - 200 * MINUTE_MS).row;
    expect(recordAsk(long, NOW)).toEqual({ asks: 1, askedAt: NOW });
  });
});
