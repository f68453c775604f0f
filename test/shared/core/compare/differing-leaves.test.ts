import { describe, expect, test } from 'vitest';
import { findCandidateLeavesInSlice, findDifferingLeaves } from '#shared/core/compare/differing-leaves.ts';
import { computeLeafIndex, leavesMatchHeads, toLeafKey, toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import {
  createScan,
  createSnapshot,
  DATE,
  EARLIER,
  EPOCH,
  leafRow,
  NEXT_DATE,
  type SampleRecord,
  slice,
  timesheet,
} from '#test/support/builders.ts';
import { findCandidateLeaves } from './run-comparison.ts';

const OTHER_DATE = '2026-02-20';
const many = sheets(300, DATE);
const known = slice({ rows: many.map((record) => leafRow(record)) });
const { heads } = createSnapshot(known);

describe('leaves that differ', () => {
  test('are none when the scan saw what is known, in whatever order', () => {
    expect(findDifferingLeaves(createScan([...many].reverse()), heads)).toEqual([]);
  });

  test('are none when only fields that are not watched differ', () => {
    expect(
      findDifferingLeaves(createScan(many.map((record) => ({ ...record, hourlyRate: '$1' }))), heads),
    ).toEqual([]);
  });

  test.each<[string, (records: SampleRecord[]) => SampleRecord[]]>([
    ['changed', (records) => records.map((record, n) => (n === 7 ? { ...record, hoursToPay: 8 } : record))],
    ['missing', (records) => records.filter((_, n) => n !== 7)],
  ])('are the one leaf of a %s record', (_, change) => {
    const refs = findDifferingLeaves(createScan(change(many)), heads);
    expect(refs).toEqual([toLeafRef(known.head, '7_7')]);
  });

  test('are the one leaf of a record that came in addition', () => {
    const refs = findDifferingLeaves(createScan([...many, timesheet({ id: '999_7' })]), heads);
    expect(refs).toEqual([toLeafRef(known.head, '999_7')]);
  });

  test('are all that hold something, when a complete scan saw nothing', () => {
    expect(findDifferingLeaves(createScan([]), heads)).toHaveLength(known.head.leafCount);
  });

  test('of an incomplete scan are only those of which it saw a record', () => {
    expect(findDifferingLeaves(createScan([], { complete: false }), heads)).toEqual([]);
    const refs = findDifferingLeaves(
      createScan([timesheet({ id: '7_7', hoursToPay: 8 })], { complete: false }),
      heads,
    );
    expect(refs).toEqual([toLeafRef(known.head, '7_7')]);
  });

  test('are sought in the scanned slices alone, and in none that has no head', () => {
    const other = slice({ slice: NEXT_DATE, rows: sheets(5, NEXT_DATE).map((record) => leafRow(record)) });
    const both = createSnapshot(known, other).heads;
    expect(findDifferingLeaves(createScan(many), both)).toEqual([]);
    expect(findDifferingLeaves(createScan(many, { slices: [DATE, OTHER_DATE] }), both)).toEqual([]);
    expect(findDifferingLeaves(createScan(many, { slices: [DATE, NEXT_DATE] }), both)).toEqual([
      { slice: NEXT_DATE, generation: '1-run', index: 0 },
    ]);
  });
});

describe('leaves that were read', () => {
  test('match their heads, or somebody committed in between', () => {
    expect(leavesMatchHeads(known.leaves, heads)).toBe(true);
    const [first, ...others] = known.leaves;
    const changed = { ...(first ?? known.leaves[0]), rows: [] };
    expect(leavesMatchHeads([...others, changed as (typeof others)[number]], heads)).toBe(false);
    expect(leavesMatchHeads(known.leaves, new Map())).toBe(false);
    const switched = new Map([[DATE, { ...known.head, generation: '5-other' }]]);
    expect(leavesMatchHeads(known.leaves, switched)).toBe(false);
  });
});

describe('where an unknown record may have been known', () => {
  const elsewhere = slice({
    slice: OTHER_DATE,
    rows: sheets(300, OTHER_DATE).map((record) => leafRow(record)),
  });
  const empty = slice({ slice: NEXT_DATE });
  const scan = createScan([timesheet({ id: '7_7' })]);

  test('is the leaf that would hold it, of every other slice', () => {
    const snapshot = { heads: createSnapshot(elsewhere, slice()).heads, leaves: new Map() };
    expect(findCandidateLeaves(['7_7', '8_7'], scan, snapshot)).toEqual([
      toLeafRef(elsewhere.head, '7_7'),
      toLeafRef(elsewhere.head, '8_7'),
    ]);
  });

  test('is named once, also for two that would share it', () => {
    const snapshot = {
      heads: createSnapshot(slice({ slice: OTHER_DATE, rows: [leafRow(timesheet())] })).heads,
      leaves: new Map(),
    };
    expect(findCandidateLeaves(['7_7', '8_7'], scan, snapshot)).toHaveLength(1);
  });

  test('is no leaf that holds nothing, unless a record was removed from its slice', () => {
    expect(
      findCandidateLeaves(['7_7'], scan, { heads: createSnapshot(empty).heads, leaves: new Map() }),
    ).toEqual([]);
    const tombstones = [{ id: '7_7', epoch: EPOCH, sequence: 3, removedAt: EARLIER }];
    const buried = slice({ slice: NEXT_DATE, tombstones });
    expect(
      findCandidateLeaves(['7_7'], scan, { heads: createSnapshot(buried).heads, leaves: new Map() }),
    ).toHaveLength(1);
  });

  test('is no leaf that holds nothing beside others that hold something', () => {
    const ids = Array.from({ length: 100 }, (_, n) => `${n}_7`);
    const first = ids.filter((id) => computeLeafIndex(id, 2) === 0).slice(0, 20);
    const second = ids.find((id) => computeLeafIndex(id, 2) === 1) ?? '';
    const lopsided = slice({
      slice: OTHER_DATE,
      rows: first.map((id) => leafRow(timesheet({ id, date: OTHER_DATE }))),
    });
    const snapshot = { heads: createSnapshot(lopsided).heads, leaves: new Map() };
    expect(lopsided.head.leafCount).toBe(2);
    expect(findCandidateLeaves([second, ...first], scan, snapshot).map(({ index }) => index)).toEqual([0]);
  });

  test('is a leaf also where as many records were removed as there are', () => {
    const tombstones = [{ id: '7_7', epoch: EPOCH, sequence: 3, removedAt: EARLIER }];
    const rows = [leafRow(timesheet({ date: NEXT_DATE }))];
    const snapshot = {
      heads: createSnapshot(slice({ slice: NEXT_DATE, rows, tombstones })).heads,
      leaves: new Map(),
    };
    expect(findCandidateLeaves(['7_7'], scan, snapshot)).toHaveLength(1);
  });

  test('is no leaf that was read already', () => {
    const ref = toLeafRef(elsewhere.head, '7_7');
    const leaves = new Map(elsewhere.leaves.map((leaf) => [toLeafKey(leaf), leaf]));
    expect(leaves.has(toLeafKey(ref))).toBe(true);
    expect(findCandidateLeaves(['7_7'], scan, { heads: createSnapshot(elsewhere).heads, leaves })).toEqual(
      [],
    );
  });

  test('is a scanned slice only when not all of it was seen', () => {
    const snapshot = { heads, leaves: new Map() };
    expect(findCandidateLeaves(['7_7'], createScan([]), snapshot)).toEqual([]);
    expect(findCandidateLeaves(['7_7'], createScan([], { complete: false }), snapshot)).toEqual([
      toLeafRef(known.head, '7_7'),
    ]);
  });
});

test('where an unknown record may have been known is a leaf of a scanned slice that differs', () => {
  const ref = toLeafRef(known.head, '7_7');
  const candidates = (keys: readonly string[]) =>
    findCandidateLeavesInSlice(['7_7'], known.head, { scan: createScan(many), differing: new Set(keys) });
  expect([candidates([]), candidates([toLeafKey(ref)])]).toEqual([[], [ref]]);
});

function sheets(count: number, date: string): SampleRecord[] {
  return Array.from({ length: count }, (_, n) => timesheet({ id: `${n}_7`, date }));
}
