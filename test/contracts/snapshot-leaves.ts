import { expect, test } from 'vitest';
import type { HeadWrite } from '#shared/core/commit/commit-step.ts';
import { createLeaf, type LeafRow, type SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import {
  creation,
  freshFeed,
  NOON,
  sampleDigests,
  sampleLeaf,
  sampleStep,
  successor,
} from './snapshot-samples.ts';

type The = () => SnapshotStore;

export function describeGenerations(the: The): void {
  const SIZES = [3, 96, 97, 110, 250, 111, 2];

  test.each([
    ['in the head', 96],
    ['on pages', 97],
    ['on many pages', 700],
  ])('digests %s follow the leaves that change', async (_name, leafCount) => {
    const feed = freshFeed();
    const first = creation({ leafCount });
    await the().commit(sampleStep(feed, [first]));
    const digests = first.head.digests.slice();
    const changed = [0, leafCount - 1, Math.floor(leafCount / 2)];
    for (const index of changed) digests[index * 2 + 1] = 4711;
    const second = successor(first.head, { digests }, changed);

    expect(await the().commit(sampleStep(feed, [second]))).toBe('committed');
    expect(await the().loadHeads(feed, '')).toEqual([second.head]);
  });

  test('a slice can have more leaves, fewer, and more again', async () => {
    const feed = freshFeed();
    let before: SliceHead | null = null;
    for (const [number, leafCount] of SIZES.entries()) {
      const generation = `${number}-run`;
      const digests = sampleDigests(leafCount, number + 2);
      const values = { leafCount, generation, digests, revision: number + 1 };
      const leaf = sampleLeaf({ generation, index: leafCount - 1 });
      await the().writeGeneration(feed, [leaf]);
      const write: HeadWrite = before === null ? creation(values) : successor(before, values, null);

      expect(await the().commit(sampleStep(feed, [write]))).toBe('committed');

      expect(await the().loadHeads(feed, '')).toEqual([write.head]);
      expect(await the().readLeaves(feed, [leaf])).toEqual([leaf]);
      before = write.head;
    }
  });

  test('more leaves than pages fit into one transaction at their usual size', async () => {
    const feed = freshFeed();
    const leafCount = 12_000;
    const first = creation({ leafCount });
    const digests = first.head.digests.slice();
    digests[23_999] = 1;
    const second = successor(first.head, { digests }, [11_999]);

    expect(await the().commit(sampleStep(feed, [first]))).toBe('committed');
    expect(await the().commit(sampleStep(feed, [second]))).toBe('committed');
    expect(await the().loadHeads(feed, '')).toEqual([second.head]);
  });

  test('a switch on an older revision is a conflict; the pages stay as they were', async () => {
    const feed = freshFeed();
    const first = creation({ leafCount: 250 });
    const second = successor(first.head, { recordCount: 41 });
    for (const write of [first, second]) await the().commit(sampleStep(feed, [write]));

    const late = successor(
      first.head,
      { leafCount: 300, generation: '2-late', digests: sampleDigests(300, 5) },
      null,
    );

    expect(await the().commit(sampleStep(feed, [late]))).toBe('conflict');
    expect(await the().loadHeads(feed, '')).toEqual([second.head]);
  });
}

export function describeLeaves(the: The): void {
  const refs = (indexes: readonly number[]) =>
    indexes.map((index) => ({ slice: '2026-03-05', generation: '1-run-a', index }));

  test('are read in the order of the references, also twice, and are empty when never written', async () => {
    const feed = freshFeed();
    const leaves = Array.from({ length: 130 }, (_, index) => sampleLeaf({ index }, [`${index}_1`]));
    await the().writeGeneration(feed, leaves);
    const order = [129, 3, 500, 3, 0, 77];

    const read = await the().readLeaves(feed, refs(order));

    expect(read).toEqual(order.map((index) => leaves[index] ?? createLeaf(refs([index])[0] ?? sampleLeaf())));
    expect(await the().readLeaves(feed, leaves)).toEqual(leaves);
    expect(await the().readLeaves(feed, [])).toEqual([]);
  });

  test('keep every member of their records', async () => {
    const feed = freshFeed();
    const row = (values: Partial<LeafRow>): LeafRow => ({
      id: '100_4711',
      state: [],
      epoch: NOON - 1,
      sequence: 0,
      sent: {},
      ...values,
    });
    const leaf = {
      ...sampleLeaf(),
      rows: [
        row({ state: ['2026-03-05', null, true, -0.25, { a: [{ b: '' }] }, [], {}, 'ü\u0000"'] }),
        row({ id: 'x', sequence: 7, sent: { clockIn: 3, approvedHours: 12 }, seenAt: NOON, untold: true }),
        row({ id: '', sent: { odd: 1 } }),
      ],
      tombstones: [
        { id: '5_4711', epoch: NOON - 1, sequence: 3, removedAt: NOON },
        { id: 'y', epoch: 0, sequence: 0, removedAt: 0 },
      ],
    };
    await the().commit(sampleStep(feed, [creation()], { leaves: [leaf] }));

    expect(await the().readLeaves(feed, [leaf])).toEqual([leaf]);
  });

  test('of other slices, generations and feeds are other leaves', async () => {
    const feed = freshFeed();
    const leaf = sampleLeaf();
    await the().writeGeneration(feed, [leaf]);
    const others = [
      { ...leaf, slice: '2026-03-06' },
      { ...leaf, generation: '1-run-b' },
    ];

    for (const other of await the().readLeaves(feed, others)) expect(other.rows).toEqual([]);
    expect(await the().readLeaves({ ...feed, feed: 'pay-periods' }, [leaf])).toMatchObject([{ rows: [] }]);
  });

  test('are replaced as a whole, and empty when deleted', async () => {
    const feed = freshFeed();
    const old = Array.from({ length: 30 }, (_, index) => sampleLeaf({ index }, ['1_1', '2_1']));
    const fresh = old.map((leaf) => sampleLeaf({ index: leaf.index }, ['3_1']));
    await the().writeGeneration(feed, old);
    await the().writeGeneration(feed, fresh);

    expect(await the().readLeaves(feed, old)).toEqual(fresh);

    await the().deleteLeaves(feed, refs([...old.keys(), 99]));
    expect(await the().readLeaves(feed, refs([4]))).toEqual(refs([4]).map(createLeaf));
  });
}
