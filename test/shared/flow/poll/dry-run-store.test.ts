import { describe, expect, test } from 'vitest';
import { toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { createLeaf } from '#shared/core/snapshot/snapshot.ts';
import { createDryRunStore } from '#shared/flow/dry-run.ts';
import {
  creation,
  freshFeed,
  NOON,
  sampleBatch,
  sampleLeaf,
  sampleStateWrite,
  sampleStep,
  successor,
} from '#test/contracts/snapshot-samples.ts';
import { describeSnapshotStore } from '#test/contracts/snapshot-store.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { createReadOnlyStore } from '#test/support/read-only-store.ts';

describeSnapshotStore('a dry run', async () =>
  createDryRunStore(createReadOnlyStore(createMemorySnapshotStore())),
);

describe('over what is stored', () => {
  test('a head is read, replaced and read again; the stored one stays', async () => {
    const { real, dry, feed, first } = await stored();
    const next = successor(first.head, { recordCount: 41 });

    expect(await dry.commit(sampleStep(feed, [next]))).toBe('committed');

    expect((await dry.loadHeads(feed, ''))[0]).toMatchObject({ revision: 2, recordCount: 41 });
    expect((await real.loadHeads(feed, ''))[0]).toMatchObject({ revision: 1, recordCount: 40 });
  });

  test('a write on another revision than the stored one is a conflict', async () => {
    const { dry, feed, first } = await stored();

    expect(await dry.commit(sampleStep(feed, [creation()]))).toBe('conflict');
    expect(await dry.commit(sampleStep(feed, [{ ...successor(first.head), expectedRevision: 7 }]))).toBe(
      'conflict',
    );
    expect(await dry.saveFeedState(sampleStateWrite(feed, 1))).toBe('conflict');
    expect(await dry.saveFeedState(sampleStateWrite(feed, 2))).toBe('committed');
  });

  test('leaves are those written in the dry run, then those stored; deleted ones are empty', async () => {
    const { real, dry, feed } = await stored();
    await real.writeGeneration(feed, [sampleLeaf({ index: 1 }, ['2_1']), sampleLeaf({ index: 2 }, ['3_1'])]);
    const written = sampleLeaf({ index: 1 }, ['2_1', '4_1']);

    await dry.writeGeneration(feed, [written]);
    await dry.deleteLeaves(feed, [sampleLeaf({ index: 2 })]);

    const { slice, generation } = written;
    const refs = [0, 1, 2, 3].map((index) => ({ slice, generation, index }));
    expect(await dry.readLeaves(feed, refs)).toEqual([
      sampleLeaf({ index: 0 }),
      written,
      ...refs.slice(2).map(createLeaf),
    ]);
    expect((await real.readLeaves(feed, refs))[2]?.rows).toHaveLength(1);
  });

  test('what waits in the outboxes is read and cleared; the stored outboxes stay', async () => {
    const { real, dry, feed, batch, stateBatch, first } = await stored();
    const entries = [
      { slice: first.head.slice, pointer: toBatchPointer(batch) },
      { slice: null, pointer: toBatchPointer(stateBatch) },
    ];

    expect(await dry.readEvents(feed, toBatchPointer(batch))).toEqual(['waiting']);
    await dry.clearOutbox(feed, entries);

    expect((await dry.loadHeads(feed, ''))[0]?.outbox).toEqual([]);
    expect((await dry.loadFeedState(feed))?.outbox).toEqual([]);
    expect((await real.loadHeads(feed, ''))[0]?.outbox).toEqual([toBatchPointer(batch)]);
    expect((await real.loadFeedState(feed))?.outbox).toEqual([toBatchPointer(stateBatch)]);
  });

  test('a poll at work does not hold it up, and what it commits meanwhile is not seen', async () => {
    const { real, dry, feed, first } = await stored();
    const lease = { owner: 'poll', now: NOON, expiresAt: NOON + 60_000, takeOver: false };
    await real.acquireLease(feed, lease);
    await dry.loadHeads(feed, '');

    await real.commit(sampleStep(feed, [successor(first.head)]));

    expect(await dry.acquireLease(feed, { ...lease, owner: 'dry run' })).toBe(true);
    expect((await dry.loadHeads(feed, ''))[0]?.revision).toBe(1);
    expect(await dry.commit(sampleStep(feed, [successor(first.head)]))).toBe('committed');
  });
});

test('where heads were read before, a slice that a poll adds meanwhile is not seen when older heads are read', async () => {
  const { real, dry, feed } = await stored();
  await dry.loadHeads(feed, '2026-03-05');
  await real.commit(sampleStep(feed, [creation({ slice: '2026-03-07' }), creation({ slice: '2026-03-01' })]));

  const heads = await dry.loadHeads(feed, '2026-03-01');

  expect(heads.map(({ slice }) => slice)).toEqual(['2026-03-01', '2026-03-05']);
});

/** A feed with a state, a head, a leaf and an event that waits in each outbox; a dry run may only read it. */
async function stored() {
  const real = createMemorySnapshotStore();
  const feed = freshFeed();
  const first = creation();
  const [batch, stateBatch] = [sampleBatch(['waiting']), sampleBatch(['waiting too'])];
  await real.commit(sampleStep(feed, [first], { leaves: [sampleLeaf()], events: batch }));
  await real.saveFeedState(sampleStateWrite(feed, 1, { events: stateBatch }));
  return { real, dry: createDryRunStore(createReadOnlyStore(real)), feed, first, batch, stateBatch };
}
