import { describe, expect, test } from 'vitest';
import {
  averageRowsPerLeaf,
  cutByWeight,
  findDifferingLeavesWithRecords,
} from '#shared/core/compare/differing-leaves.ts';
import { toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import {
  createScan,
  createSnapshot,
  DATE,
  leafRow,
  NEXT_DATE,
  slice,
  timesheet,
} from '#test/support/builders.ts';

describe('leaves that differ from a scan', () => {
  const sheets = Array.from({ length: 64 }, (_, n) => timesheet({ id: `${n}_7` }));
  const known = slice({ rows: sheets.map((record) => leafRow(record)) });
  const other = slice({ slice: NEXT_DATE });
  const { heads } = createSnapshot(known, other);
  const changed = toLeafRef(known.head, '9_7');
  const seen = sheets.map((record) => (record.id === '9_7' ? { ...record, hoursToPay: 1 } : record));

  test('come with all that the scan saw of them, and with the rows that they are expected to hold', () => {
    const [leaf, ...more] = findDifferingLeavesWithRecords(createScan(seen), heads);
    const own = sheets.map(({ id }) => id).filter((id) => toLeafRef(known.head, id).index === changed.index);
    expect(more).toEqual([]);
    expect(leaf).toMatchObject({ ref: changed, rows: 16 });
    expect(leaf?.records.map(({ id }) => id)).toEqual(own);
    expect(own.length).toBeLessThan(sheets.length);
  });

  test('are of each slice of the scan', () => {
    const scan = createScan([...seen, timesheet({ id: '99_7', date: NEXT_DATE })], {
      slices: [DATE, NEXT_DATE],
    });
    const leaves = findDifferingLeavesWithRecords(scan, heads);
    expect(leaves.map(({ ref, rows }) => [ref.slice, rows])).toEqual([
      [DATE, 16],
      [NEXT_DATE, 0],
    ]);
    expect(leaves[1]?.records.map(({ id }) => id)).toEqual(['99_7']);
  });

  test('are expected to hold nothing where the slice is not loaded', () => {
    expect(averageRowsPerLeaf(changed, heads)).toBe(16);
    expect(averageRowsPerLeaf(changed, new Map())).toBe(0);
  });
});

describe('a list is cut into portions', () => {
  test.each<[number[], number[][]]>([
    [[], []],
    [[4], [[4]]],
    [[11], [[11]]],
    [
      [4, 6, 1, 9],
      [
        [4, 6],
        [1, 9],
      ],
    ],
    [
      [4, 7, 4],
      [[4], [7], [4]],
    ],
    [
      [1, 1, 1, 8, 11, 10, 2, 2],
      [[1, 1, 1], [8], [11], [10], [2, 2]],
    ],
  ])('of at most ten, unless one alone is more: %j', (members, portions) => {
    expect(cutByWeight(members, (member) => member, 10)).toEqual(portions);
  });
});
