import type { GenerationPlan } from '#shared/core/commit/generation.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';

/** Commits a slice as it is laid out, over whatever the store has of it. */
export async function commitSlice(
  store: SnapshotStore,
  feed: FeedKey,
  { head, leaves }: GenerationPlan,
): Promise<void> {
  const known = (await store.loadHeads(feed, head.slice)).find(({ slice }) => slice === head.slice);
  await store.commit({
    feed,
    token: `${head.slice}@${known?.revision ?? 'first'}`,
    heads: [
      {
        head: { ...head, revision: (known?.revision ?? 0) + 1 },
        expectedRevision: known?.revision ?? null,
        changedLeaves: null,
      },
    ],
    leaves,
    ...{ events: null, eventsExpireAt: 0 },
  });
}
