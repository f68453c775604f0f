import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHeadItem, toHeadItem } from '#shared/adapters/dynamo/head-items.ts';
import {
  countRecords,
  createHead,
  describeBucket,
  digestTexts,
  endOfBucket,
  findBucket,
  findBucketsAt,
  groupByBucket,
  hashId,
} from '#shared/core/snapshot/head.ts';
import { headOf, KEY, listIds, rowsOf, sheets } from '#test/shared/core/slices.ts';
import { timesheet } from '#test/support/builders.ts';
import { holds } from '../properties.ts';

const bounds = fc
  .uniqueArray(fc.integer({ min: 1, max: 2 ** 32 - 1 }), { maxLength: 40 })
  .map((cuts) => [0, ...cuts.sort((a, b) => a - b)].map((from) => ({ from })));

test('the place of an id never changes, and ids are spread over all places', () => {
  expect(['1001_7', '1_7', 'é😀', ''].map(hashId)).toEqual([
    1_225_795_071, 712_472_888, 4_159_213_040, 2_872_998_923,
  ]);
  const parts = Map.groupBy(listIds(16_000), (id) => Math.floor(hashId(id) / 2 ** 28));
  const counts = [...parts.values()].map(({ length }) => length);
  expect(counts).toHaveLength(16);
  expect(Math.min(...counts)).toBeGreaterThan(900);
  expect(Math.max(...counts)).toBeLessThan(1_100);
});

test('a bucket has the hashes from its bound up to the next one', () => {
  holds(
    fc.property(bounds, fc.integer({ min: 0, max: 2 ** 32 - 1 }), (buckets, place) => {
      const index = findBucket(buckets, place);
      expect(buckets[index]?.from).toBeLessThanOrEqual(place);
      expect(endOfBucket(buckets, index)).toBeGreaterThan(place);
    }),
  );
});

test('ids are grouped by their buckets, each once and sorted', () => {
  holds(
    fc.property(bounds, fc.uniqueArray(fc.string(), { maxLength: 50 }), (buckets, ids) => {
      const groups = groupByBucket(buckets, ids);
      expect(groups).toHaveLength(buckets.length);
      expect(groups.flat().sort()).toEqual([...ids].sort());
      for (const [index, group] of groups.entries()) {
        expect(group).toEqual([...group].sort());
        for (const id of group) expect(findBucket(buckets, hashId(id))).toBe(index);
      }
      const refs = buckets.map(({ from }) => ({ from, count: 0, digest: '' }));
      const filled = groups.flatMap((group, index) => (group.length === 0 ? [] : [refs[index]]));
      expect(findBucketsAt({ buckets: refs }, ids)).toEqual(filled);
    }),
  );
});

describe('the digest of a bucket', () => {
  const rows = rowsOf(sheets(listIds(3)));

  test('is of ids and of what a look shows, in whatever order', () => {
    const { digest, count } = describeBucket(0, rows);
    expect([digest, count]).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/), 3]);
    expect(describeBucket(0, rows.toReversed()).digest).toBe(digest);
    const counted = rows.map((row) => ({ ...row, epoch: 1, sequence: 9, sent: { approvedHours: 9 } }));
    expect(describeBucket(0, counted).digest).toBe(digest);
    const texts = new Map(rows.map(({ id, text }) => [id, text ?? '']));
    expect(digestTexts([...texts.keys()].sort(), (id) => texts.get(id) ?? '')).toBe(digest);
  });

  test('is another one for another id, another text, and a record that cannot be read', () => {
    const [first, second, ...others] = rows;
    const swapped = [{ ...first, text: 'a' }, { ...second, text: 'b' }, ...others] as typeof rows;
    const back = [{ ...first, text: 'b' }, { ...second, text: 'a' }, ...others] as typeof rows;
    const bad = [{ ...first, bad: { text: '["?"]', issues: [] } }, second, ...others] as typeof rows;
    const all = [rows, rows.slice(1), [...rows, ...rowsOf([timesheet({ id: '9_7' })])], swapped, back, bad];
    expect(new Set(all.map((each) => describeBucket(0, each).digest)).size).toBe(all.length);
  });

  test('of none is empty', () => {
    expect(describeBucket(7, [])).toEqual({ from: 7, count: 0, digest: '' });
    expect(createHead(KEY).buckets).toEqual([describeBucket(0, [])]);
  });

  test('is the same when it was stored and read back', () => {
    holds(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.constantFrom(1, 2, 64, 256), (records, buckets) => {
        const head = headOf(rowsOf(sheets(listIds(records))), buckets);
        expect(readHeadItem(toHeadItem('main', head))).toEqual(head);
        expect(countRecords(head)).toBe(records);
      }),
      20,
    );
  });
});
