import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layOutGeneration } from '#shared/core/commit/generation.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import {
  computeLeafCount,
  computeLeafIndex,
  createDigests,
  createHead,
  createLeaf,
  describesLeaf,
  isCrowded,
  leavesMatchHeads,
  type RecordDigest,
  toggleDigest,
  toLeafKey,
  toLeafRef,
} from '#shared/core/snapshot/snapshot.ts';
import { holds } from '#test/shared/core/properties.ts';
import { DATE, EARLIER, EPOCH, leafRow, slice, timesheet } from '#test/support/builders.ts';

const BASE = {
  slice: DATE,
  revision: 3,
  generation: '3-run',
  baselinedAt: EARLIER,
  observedAt: null,
  outbox: ['waiting'],
};
const contents = fc
  .record({ records: fc.nat(120), processed: fc.nat(120), removed: fc.nat(30) })
  .map(({ records, processed, removed }) => ({
    rows: Array.from({ length: records }, (_, n) =>
      leafRow(timesheet({ id: `${n}_7`, processed: n < processed ? '2026-03-05T00:00:00.000Z' : null })),
    ),
    tombstones: Array.from({ length: removed }, (_, n) => ({
      id: `9${n}_8`,
      epoch: EPOCH,
      sequence: n,
      removedAt: EARLIER,
    })),
    settled: Math.min(records, processed),
  }));

describe('a generation of leaves', () => {
  test('holds every record and every tombstone once, where its id belongs', () => {
    holds(
      fc.property(contents, ({ rows, tombstones }) => {
        const { head, leaves } = planOf({ rows, tombstones });
        for (const leaf of leaves) {
          const ids = [...leaf.rows, ...leaf.tombstones].map(({ id }) => id);
          expect(ids.filter((id) => computeLeafIndex(id, head.leafCount) !== leaf.index)).toEqual([]);
        }
        expect(leaves.flatMap((leaf) => leaf.rows).sort(byId)).toEqual([...rows].sort(byId));
        expect(leaves.flatMap((leaf) => leaf.tombstones).sort(byId)).toEqual([...tombstones].sort(byId));
        expect(new Set(leaves.map(toLeafKey)).size).toBe(leaves.length);
      }),
    );
  });

  test('matches its head, and no longer when a record is changed, gone or put elsewhere', () => {
    holds(
      fc.property(contents, ({ rows, tombstones }) => {
        const { head, leaves } = planOf({ rows, tombstones });
        const heads = new Map([[DATE, head]]);
        expect(leavesMatchHeads(leaves, heads)).toBe(true);
        const [some] = leaves.filter((leaf) => leaf.rows.length > 0);
        if (some === undefined) return;
        const [row, ...others] = some.rows;
        const changed = { ...leafRow(timesheet({ id: row?.id, hoursToPay: 0.25 })) };
        expect(leavesMatchHeads([{ ...some, rows: others }], heads)).toBe(false);
        expect(leavesMatchHeads([{ ...some, rows: [changed, ...others] }], heads)).toBe(false);
        expect(leavesMatchHeads([{ ...some, generation: 'other' }], heads)).toBe(false);
        expect(leavesMatchHeads([{ ...some, slice: 'other' }], heads)).toBe(false);
      }),
    );
  });

  test('is counted in its head', () => {
    holds(
      fc.property(contents, ({ rows, tombstones, settled }) => {
        expect(planOf({ rows, tombstones }).head).toMatchObject({
          ...BASE,
          leafCount: computeLeafCount(rows.length),
          recordCount: rows.length,
          tombstoneCount: tombstones.length,
          unsettledCount: rows.length - settled,
        });
      }),
    );
  });

  test('of an empty slice is one leaf that need not be written', () => {
    const { head, leaves } = planOf({ rows: [], tombstones: [] });
    expect([head.leafCount, head.recordCount, [...head.digests]]).toEqual([1, 0, [0, 0]]);
    expect(leaves).toEqual([]);
  });
});

describe('a head', () => {
  const statement = { closings: 1, closedHours: 1, last: null, count: null, closedAt: EARLIER };
  const moved = { late: 0, reopened: 0, recounted: 0 };

  test('counts rows that were left out of a list and rows that await a statement, and names neither when there are none', () => {
    const rows = [
      leafRow(timesheet({ id: '1_7' }), { unlisted: { asks: 1, askedAt: EARLIER } }),
      leafRow(timesheet({ id: '2_7' }), { statement: { ...statement, moved, awaits: 'final' } }),
      leafRow(timesheet({ id: '3_7' }), { statement: { ...statement, moved, awaits: null } }),
      leafRow(timesheet({ id: '4_7' })),
    ];

    expect(planOf({ rows, tombstones: [] }).head).toMatchObject({ unlistedCount: 1, awaitingCount: 1 });
    const { head } = planOf({ rows: rows.slice(2), tombstones: [] });
    expect(head).not.toHaveProperty('unlistedCount');
    expect(head).not.toHaveProperty('awaitingCount');
  });

  test('of a slice that was never scanned has one empty leaf and no instants', () => {
    const head = createHead(DATE, '0-run');

    expect(head).toEqual({
      slice: DATE,
      revision: 0,
      generation: '0-run',
      leafCount: 1,
      recordCount: 0,
      tombstoneCount: 0,
      unsettledCount: 0,
      baselinedAt: null,
      observedAt: null,
      digests: new Int32Array(2),
      outbox: [],
    });
    const ref = toLeafRef(head, '1001_7');
    expect(ref).toEqual({ slice: DATE, generation: '0-run', index: 0 });
    expect(createLeaf(ref)).toEqual({ ...ref, rows: [], tombstones: [] });
    expect(describesLeaf(head, createLeaf(ref))).toBe(true);
  });

  test('describes a leaf of its generation by the canonical digest', () => {
    const row = leafRow(timesheet({ startTime: '2026-03-05T09:00:00+13:00' }));
    const { head, leaves } = planOf({ rows: [row], tombstones: [] });
    const [leaf = createLeaf(toLeafRef(head, row.id))] = leaves;
    const withDigest = (digest: RecordDigest) => {
      const digests = createDigests(1);
      toggleDigest(digests, 0, digest);
      return { ...head, digests };
    };

    expect(describesLeaf(head, leaf)).toBe(true);
    expect(describesLeaf(withDigest({ high: 1, low: 1 }), leaf)).toBe(false);
    expect(describesLeaf({ ...head, generation: 'next' }, leaf)).toBe(false);
  });
});

describe('the number of leaves', () => {
  const perLeaf = Math.round(10_000 / computeLeafCount(10_000));

  test('is one for a few records, or none', () => {
    expect([0, 1, perLeaf].map(computeLeafCount)).toEqual([1, 1, 1]);
    expect(computeLeafCount(perLeaf + 1)).toBe(2);
  });

  test('gives each leaf what makes about 1 KB', () => {
    expect(perLeaf).toBeGreaterThanOrEqual(12);
    expect(perLeaf).toBeLessThanOrEqual(20);
  });

  test('is outgrown when leaves hold twice as many records as they should', () => {
    const { head } = slice();
    const crowded = (recordCount: number) => isCrowded({ ...head, leafCount: 3, recordCount });
    expect([crowded(3 * 2 * perLeaf), crowded(3 * 2 * perLeaf + 1)]).toEqual([false, true]);
    const expecting = (records: number) => isCrowded({ ...head, leafCount: 3, recordCount: 1 }, records);
    expect([expecting(3 * 2 * perLeaf), expecting(3 * 2 * perLeaf + 1)]).toEqual([false, true]);
  });
});

function planOf(given: Parameters<typeof layOutGeneration>[2]) {
  return layOutGeneration(feedDefinition('timesheets'), BASE, given);
}

function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return left.id < right.id ? -1 : 1;
}
