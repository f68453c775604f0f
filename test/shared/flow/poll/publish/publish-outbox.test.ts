import { describe, expect, test } from 'vitest';
import { toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { collectOutboxEntries } from '#shared/core/commit/outbox.ts';
import { publishOutbox } from '#shared/flow/poll/commit-and-publish.ts';
import type { EventPublisher } from '#shared/flow/poll/ports.ts';
import { creation, freshFeed, sampleBatch, sampleStep } from '#test/contracts/snapshot-samples.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';

describe('what a commit to two slices left in the outbox', () => {
  test('is published once, and taken out of both', async () => {
    const { store, feed, sent, publisher } = await committed();
    const left = collectOutboxEntries(await store.loadHeads(feed, ''));
    expect(left).toHaveLength(2);

    const outcome = await publishOutbox(left, feed, { store, publisher: publisher() });

    expect(sent).toEqual(['one', 'two']);
    expect(outcome).toMatchObject({ published: 2, waiting: 0 });
    expect(collectOutboxEntries(await store.loadHeads(feed, ''))).toEqual([]);
  });

  test('is seen by whoever read one of them before the commit: the other one has it as well', async () => {
    const { store, feed, sent, publisher } = await committed();
    const [, second] = await store.loadHeads(feed, '');
    const left = collectOutboxEntries(second === undefined ? [] : [second]);

    await publishOutbox(left, feed, { store, publisher: publisher() });

    expect(sent).toEqual(['one', 'two']);
  });

  test('stays in both when one of its events is not taken', async () => {
    const { store, feed, publisher } = await committed();
    const left = collectOutboxEntries(await store.loadHeads(feed, ''));

    const outcome = await publishOutbox(left, feed, { store, publisher: publisher('two') });

    expect(outcome).toMatchObject({ published: 1, waiting: 1, cleared: [] });
    expect(collectOutboxEntries(await store.loadHeads(feed, ''))).toEqual(left);
  });
});

async function committed() {
  const store = createMemorySnapshotStore();
  const feed = freshFeed();
  const events = sampleBatch(['one', 'two']);
  const heads = ['2026-03-06', '2026-03-07'].map((slice) => creation({ slice }));
  expect(await store.commit(sampleStep(feed, heads, { events }))).toBe('committed');
  expect(collectOutboxEntries(await store.loadHeads(feed, '')).map(({ pointer }) => pointer)).toContain(
    toBatchPointer(events),
  );
  const sent: string[] = [];
  const publisher = (refused?: string): EventPublisher => ({
    publish: async (texts) => {
      const taken = texts.filter((text) => text !== refused);
      sent.push(...taken);
      const unpublished = texts.flatMap((text, index) => (text === refused ? [index] : []));
      return { published: taken.length, unpublished, requests: 1 };
    },
  });
  return { store, feed, sent, publisher };
}
