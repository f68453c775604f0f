import { expect, test } from 'vitest';
import { toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { INSERT_FENCE } from '#shared/core/commit/insert-fence.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import {
  creation,
  freshFeed,
  sampleBatch,
  sampleHead,
  sampleLeaf,
  sampleStateWrite,
  sampleStep,
  successor,
} from './snapshot-samples.ts';

type The = () => SnapshotStore;

export function describeCommit(the: The): void {
  test('writes head, leaves, events and pointer', async () => {
    const feed = freshFeed();
    const events = sampleBatch(['{"id":1}', '{"id":2}']);
    const leaf = sampleLeaf({ index: 2 }, ['1_1', '2_1']);
    const write = creation();

    const outcome = await the().commit(sampleStep(feed, [write], { leaves: [leaf], events }));

    expect(outcome).toBe('committed');
    expect(await the().loadHeads(feed, '')).toEqual([{ ...write.head, outbox: [toBatchPointer(events)] }]);
    expect(await the().readLeaves(feed, [leaf])).toEqual([leaf]);
    expect(await the().readEvents(feed, toBatchPointer(events))).toEqual(['{"id":1}', '{"id":2}']);
  });

  test('stores nullable members', async () => {
    const feed = freshFeed();
    const write = creation({ baselinedAt: null, observedAt: null, recordCount: 0 });
    await the().commit(sampleStep(feed, [write]));

    expect(await the().loadHeads(feed, '')).toEqual([write.head]);
  });

  test('on an older revision is a conflict and changes nothing', async () => {
    const feed = freshFeed();
    const first = creation();
    const second = successor(first.head);
    await the().commit(sampleStep(feed, [first]));
    await the().commit(sampleStep(feed, [second]));

    const events = sampleBatch(['late']);
    const leaf = sampleLeaf();
    const late = sampleStep(feed, [successor(first.head, { recordCount: 1 })], { leaves: [leaf], events });

    expect(await the().commit(late)).toBe('conflict');
    expect(await the().loadHeads(feed, '')).toEqual([second.head]);
    expect(await the().readLeaves(feed, [leaf])).toEqual([{ ...leaf, rows: [] }]);
    await expect(the().readEvents(feed, toBatchPointer(events))).rejects.toThrow();
  });

  test('of a head that must not exist is a conflict when it does', async () => {
    const feed = freshFeed();
    await the().commit(sampleStep(feed, [creation({ recordCount: 1 })]));

    expect(await the().commit(sampleStep(feed, [creation({ recordCount: 2 })]))).toBe('conflict');
    expect(await the().loadHeads(feed, '')).toMatchObject([{ recordCount: 1 }]);
  });

  test('on a head that does not exist is a conflict', async () => {
    const feed = freshFeed();

    expect(await the().commit(sampleStep(feed, [successor(sampleHead())]))).toBe('conflict');
    expect(await the().loadHeads(feed, '')).toEqual([]);
  });

  test('of two heads writes both, with the pointer in each', async () => {
    const feed = freshFeed();
    const events = sampleBatch(['moved']);
    const heads = [creation({ slice: '2026-03-07' }), creation({ slice: '2026-03-06' })];

    expect(await the().commit(sampleStep(feed, heads, { events }))).toBe('committed');

    expect(await the().loadHeads(feed, '')).toMatchObject([
      { slice: '2026-03-06', outbox: [toBatchPointer(events)] },
      { slice: '2026-03-07', outbox: [toBatchPointer(events)] },
    ]);
  });

  test('leaves no pointer in the insert fence, which is no slice', async () => {
    const feed = freshFeed();
    const events = sampleBatch(['created']);
    const heads = [creation({ slice: '2026-03-06' }), creation({ slice: INSERT_FENCE })];

    expect(await the().commit(sampleStep(feed, heads, { events }))).toBe('committed');

    expect(await the().loadHeads(feed, '')).toMatchObject([
      { slice: '2026-03-06', outbox: [toBatchPointer(events)] },
      { slice: INSERT_FENCE, outbox: [] },
    ]);
  });

  test.each([0, 1])('of two heads of which number %i is stale writes neither', async (stale) => {
    const feed = freshFeed();
    const heads = ['2026-03-06', '2026-03-07'].map((slice) => creation({ slice }));
    await the().commit(sampleStep(feed, heads));
    const next = heads.map(({ head }, index) => ({
      ...successor(head, { recordCount: 5 }),
      expectedRevision: index === stale ? 9 : 1,
    }));

    expect(await the().commit(sampleStep(feed, next, { events: sampleBatch(['late']) }))).toBe('conflict');
    expect(await the().loadHeads(feed, '')).toEqual(heads.map(({ head }) => head));
  });

  test('of a repeated step is one commit', async () => {
    const feed = freshFeed();
    const first = creation();
    await the().commit(sampleStep(feed, [first]));
    const events = sampleBatch(['once']);
    const step = sampleStep(feed, [successor(first.head, {}, [1])], { leaves: [sampleLeaf()], events });

    expect(await the().commit(step)).toBe('committed');
    expect(await the().commit(step)).toBe('committed');

    expect(await the().loadHeads(feed, '')).toMatchObject([
      { revision: 2, outbox: [toBatchPointer(events)] },
    ]);
  });

  test('of another step under the same token is a conflict: that revision exists', async () => {
    const feed = freshFeed();
    const first = creation();
    await the().commit(sampleStep(feed, [first]));
    const step = sampleStep(feed, [successor(first.head, { recordCount: 1 })]);
    await the().commit(step);

    const other = { ...step, heads: [successor(successor(first.head).head, { recordCount: 2 })] };

    expect(await the().commit(other)).toBe('conflict');
    expect(await the().loadHeads(feed, '')).toMatchObject([{ revision: 2, recordCount: 1 }]);
  });

  test('of several concurrent ones exactly one succeeds', async () => {
    const feed = freshFeed();
    const first = creation();
    await the().commit(sampleStep(feed, [first]));
    const rivals = Array.from({ length: 6 }, (_, recordCount) =>
      sampleStep(feed, [successor(first.head, { recordCount })], { events: sampleBatch([`${recordCount}`]) }),
    );

    const outcomes = await Promise.all(rivals.map((step) => the().commit(step)));

    expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(1);
    const winner = outcomes.indexOf('committed');
    const [head] = await the().loadHeads(feed, '');
    expect(head).toMatchObject({ revision: 2, recordCount: winner });
    expect(head?.outbox).toHaveLength(1);
  });

  test('heads are read from a slice on, in order, of this feed only', async () => {
    const feed = freshFeed();
    const slices = ['2026-03-07', '2026-02-28', '2026-03-05', '2026-03-06'];
    for (const slice of slices) await the().commit(sampleStep(feed, [creation({ slice })]));
    const neighbours: FeedKey[] = [
      { ...feed, feed: 'pay-periods' },
      { ...feed, connection: `${feed.connection}-b` },
    ];
    for (const other of neighbours) await the().commit(sampleStep(other, [creation({ slice: 'all' })]));

    const slicesFrom = async (from: string) => (await the().loadHeads(feed, from)).map(({ slice }) => slice);

    expect(await slicesFrom('2026-03-05')).toEqual(['2026-03-05', '2026-03-06', '2026-03-07']);
    expect(await slicesFrom('')).toEqual(['2026-02-28', '2026-03-05', '2026-03-06', '2026-03-07']);
    expect(await slicesFrom('2026-03-08')).toEqual([]);
    expect(await the().loadHeads({ ...feed, feed: 'pay-periods' }, '')).toMatchObject([{ slice: 'all' }]);
  });

  test('a value changed after it was read or written does not change the store', async () => {
    const feed = freshFeed();
    const write = creation();
    const digests = write.head.digests.slice();
    await the().commit(sampleStep(feed, [write], { leaves: [sampleLeaf()] }));
    write.head.digests.fill(0);
    (await the().loadHeads(feed, ''))[0]?.digests.fill(0);

    expect((await the().loadHeads(feed, ''))[0]?.digests).toEqual(digests);
  });
}

export function describeOutbox(the: The): void {
  test('events are read in order, over chunks', async () => {
    const feed = freshFeed();
    const chunks = [['{"n":1}', '{"n":"two\\nlines"}'], ['{"n":3}'], ['{"n":"–"}', '{}']];
    const events = sampleBatch(...chunks);
    await the().commit(sampleStep(feed, [creation()], { events }));

    expect(await the().readEvents(feed, toBatchPointer(events))).toEqual(chunks.flat());
  });

  test('events that were never committed are an error, not an empty list', async () => {
    const missing = the().readEvents(freshFeed(), toBatchPointer(sampleBatch(['a'])));

    await expect(missing).rejects.toMatchObject({ code: 'events_missing' });
  });

  test('several batches are read together where the store can do that; a missing one is null', async () => {
    const feed = freshFeed();
    const batches = [sampleBatch(['a', 'b'], ['c']), sampleBatch(['d'])];
    const first = creation();
    await the().commit(sampleStep(feed, [first], { events: batches[0] ?? null }));
    await the().commit(sampleStep(feed, [successor(first.head)], { events: batches[1] ?? null }));
    const pointers = [...batches, sampleBatch(['never', 'committed'])].map(toBatchPointer);

    const read = await the().readEventBatches?.(feed, pointers);

    if (read === undefined) return;
    expect(pointers.map((pointer) => read.get(pointer))).toEqual([['a', 'b', 'c'], ['d'], null]);
  });

  test('a commit adds to the outbox and never overwrites it', async () => {
    const feed = freshFeed();
    const batches = [sampleBatch(['a']), sampleBatch(['b'])];
    const first = creation({ outbox: ['not/known/1'] });
    const second = successor(first.head, { outbox: [] });
    await the().commit(sampleStep(feed, [first], { events: batches[0] ?? null }));
    await the().commit(sampleStep(feed, [second], { events: batches[1] ?? null }));
    await the().commit(sampleStep(feed, [successor(second.head, { outbox: [] }, null)]));

    const [head] = await the().loadHeads(feed, '');

    expect(head).toMatchObject({ revision: 3, outbox: batches.map(toBatchPointer) });
  });

  test('clearing a pointer twice, or where no item is, has no effect', async () => {
    const feed = freshFeed();
    const [early, late] = [sampleBatch(['a']), sampleBatch(['b'])];
    const first = creation();
    await the().commit(sampleStep(feed, [first], { events: early }));
    await the().commit(sampleStep(feed, [successor(first.head)], { events: late }));
    const entry = { slice: first.head.slice, pointer: toBatchPointer(early) };

    await the().clearOutbox(feed, [entry]);
    await the().clearOutbox(feed, [entry, { slice: '2026-01-01', pointer: 'gone/1' }]);
    await the().clearOutbox(feed, [{ slice: null, pointer: 'gone/1' }]);

    expect(await the().loadHeads(feed, '')).toMatchObject([{ revision: 2, outbox: [toBatchPointer(late)] }]);
    expect(await the().loadFeedState(feed)).toBeNull();
    expect(await the().readEvents(feed, toBatchPointer(early))).toEqual(['a']);
  });

  test('the outboxes of state and heads are cleared together', async () => {
    const feed = freshFeed();
    const [ofState, changed, other] = [sampleBatch(['a']), sampleBatch(['b']), sampleBatch(['c'])];
    const first = creation();
    await the().saveFeedState(sampleStateWrite(feed, 1, { events: ofState }));
    await the().commit(sampleStep(feed, [first], { events: changed }));
    await the().commit(sampleStep(feed, [successor(first.head)], { events: other }));

    await the().clearOutbox(feed, [
      { slice: null, pointer: toBatchPointer(ofState) },
      { slice: first.head.slice, pointer: toBatchPointer(changed) },
      { slice: first.head.slice, pointer: toBatchPointer(other) },
    ]);

    expect((await the().loadFeedState(feed))?.outbox).toEqual([]);
    expect(await the().loadHeads(feed, '')).toMatchObject([{ revision: 2, outbox: [] }]);
  });
}
