import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bucketSize,
  divideBucket,
  isOverfull,
  type Patch,
  planSteps,
  type Step,
} from '#shared/core/commit/steps.ts';
import {
  countRecords,
  createHead,
  describeBucket,
  findBucket,
  type Head,
  hashId,
} from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { headOf, KEY, listIds, placeRows } from '#test/shared/core/slices.ts';
import { holds } from '../properties.ts';

/** Of a transaction, beside heads, state and log. */
const MAX_ITEMS = 96;

function row(id: string, text = '[1]'): StoredRow {
  return { id, epoch: 0, sequence: 0, sent: {}, text };
}

/** Buckets by their lower bounds, as they are stored. */
type Stored = Map<number, readonly StoredRow[]>;

/** Does what a step says, and checks that it is whole in itself. */
function apply(stored: Stored, { head, buckets }: Step): void {
  expect(buckets.length).toBeLessThanOrEqual(MAX_ITEMS);
  for (const { from, rows } of buckets) {
    if (rows === null) stored.delete(from);
    else stored.set(from, rows);
  }
  const isRight = head.buckets.every((ref, index) => {
    const rows = stored.get(ref.from) ?? [];
    const isPlaced = rows.every(({ id }) => findBucket(head.buckets, hashId(id)) === index);
    return isPlaced && JSON.stringify(ref) === JSON.stringify(describeBucket(ref.from, rows));
  });
  expect(isRight).toBe(true);
  const listed = head.buckets.filter(({ count }) => count > 0).map(({ from }) => from);
  expect([...stored.keys()].sort((a, b) => a - b)).toEqual(listed);
}

function toStored(head: Head, rows: readonly StoredRow[]): Stored {
  const placed = placeRows(head, rows);
  return new Map(
    head.buckets.flatMap(({ from }, index) => (placed[index]?.length ? [[from, placed[index]]] : [])),
  );
}

test('whatever is put into a slice, every step is whole, fits a transaction, and in the end all rows are there', () => {
  const MOST_ROWS = 4;
  const plans = fc.record({
    buckets: fc.constantFrom(1, 3, 32, 200),
    before: fc.integer({ min: 0, max: 400 }),
    added: fc.integer({ min: 0, max: 100 }),
    /** Of those that were there: each so many-th stays. */
    kept: fc.constantFrom(0, 1, 2, 7),
  });
  holds(
    fc.property(plans, ({ buckets, before, added, kept }) => {
      const old = listIds(before).map((id) => row(id));
      const head = headOf(old, buckets);
      const stored = toStored(head, old);
      const stays = old.filter((_, place) => kept > 0 && place % kept === 0).slice(0, 100);
      const next = [...stays, ...listIds(added).map((id) => row(`new${id}`, '[2]'))];
      const placed = placeRows(head, next);
      const patches = head.buckets.map((_, index): Patch => {
        const rows = placed[index] ?? [];
        return { index, rows, texts: rows.map(({ id }) => id) };
      });
      let last = head;
      const texts: string[] = [];
      const patched: number[] = [];
      for (const step of planSteps(head, patches, MOST_ROWS)) {
        apply(stored, step);
        last = step.head;
        texts.push(...step.texts);
        patched.push(...step.patched);
      }
      expect(texts).toEqual(patches.flatMap((patch) => patch.texts));
      expect(patched).toEqual(head.buckets.map(({ from }) => from));
      expect(
        [...stored.values()]
          .flat()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(next.map(({ id }) => id).sort());
      expect(last.buckets.filter(({ count }) => count > MOST_ROWS)).toEqual([]);
    }),
    60,
  );
});

test('nothing to put takes no step', () => {
  expect([...planSteps(createHead(KEY), [], 64)]).toEqual([]);
});

test.each([
  ['rows', { rows: [row('1_7', 'x'.repeat(1_600_000))], texts: [] }],
  ['events', { rows: [], texts: ['x'.repeat(3_100_000)] }],
])('a transaction holds so many characters of %s', (_, patch) => {
  const head = headOf([], 4);
  const patches = head.buckets.map((_ref, index) => ({ index, ...patch }));
  expect([...planSteps(head, patches, 64)].map(({ patched }) => patched.size)).toEqual([1, 1, 1, 1]);
});

describe('a mass insert', () => {
  test('into one bucket is divided before, and told in steps', () => {
    const count = 6_000;
    const rows = listIds(count).map((id) => row(id));
    const mostRows = bucketSize(count);
    let head = createHead(KEY);
    const stored: Stored = new Map();
    for (let index = 0; index < head.buckets.length; ) {
      if (!isOverfull(placeRows(head, rows)[index]?.length ?? 0, mostRows)) index += 1;
      else {
        const step = divideBucket(head, index, []);
        expect([step.texts, step.patched]).toEqual([[], new Set([head.buckets[index]?.from])]);
        apply(stored, step);
        head = step.head;
      }
    }
    const placed = placeRows(head, rows);
    const patches = head.buckets.map((_, index) => ({ index, rows: placed[index] ?? [], texts: [] }));
    const steps = [...planSteps(head, patches, mostRows)];
    for (const step of steps) apply(stored, step);
    const last = steps.at(-1)?.head ?? head;
    expect(countRecords(last)).toBe(count);
    expect(Math.max(...last.buckets.map((bucket) => bucket.count))).toBeLessThanOrEqual(mostRows);
    // 12 bytes a bucket: what each commit to the slice pays for.
    expect(last.buckets.length).toBeLessThan((3 * count) / mostRows);
  });

  test('keeps what the bucket had', () => {
    const rows = listIds(300).map((id) => row(id));
    const head = headOf(rows, 2);
    const stored = toStored(head, rows);
    let divided = head;
    for (const index of [1, 0]) {
      const step = divideBucket(divided, index, placeRows(divided, rows)[index] ?? []);
      apply(stored, step);
      divided = step.head;
    }
    expect([divided.buckets.length, countRecords(divided)]).toEqual([64, 300]);
  });
});

test('a slice of more records has larger buckets', () => {
  expect([0, 5_000, 5_001, 50_000].map(bucketSize)).toEqual([64, 64, 256, 256]);
});
