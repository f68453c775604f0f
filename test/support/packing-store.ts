import { readLeafItem, toLeafItem } from '#shared/adapters/dynamo/snapshot/leaf-items.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { type Leaf, toLeafKey } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { createMemorySnapshotStore } from './memory-snapshot-store.ts';

/** A memory store whose leaves are packed into the items of DynamoDB and unpacked again. */
export function createPackingStore(): SnapshotStore {
  const store = createMemorySnapshotStore();
  const items = new Map<string, ReturnType<typeof toLeafItem>>();
  const keyOf = ({ connection, feed }: FeedKey, leaf: Parameters<typeof toLeafKey>[0]) =>
    `${connection}/${feed}/${toLeafKey(leaf)}`;
  const pack = (feed: FeedKey, leaves: readonly Leaf[]) => {
    for (const leaf of leaves) items.set(keyOf(feed, leaf), toLeafItem(feed, leaf));
  };
  return {
    ...store,
    async writeGeneration(feed, leaves) {
      await store.writeGeneration(feed, leaves);
      pack(feed, leaves);
    },
    async commit(step) {
      const outcome = await store.commit(step);
      if (outcome === 'committed') pack(step.feed, step.leaves);
      return outcome;
    },
    async readLeaves(feed, refs) {
      const leaves = await store.readLeaves(feed, refs);
      return leaves.map((leaf) => {
        const item = items.get(keyOf(feed, leaf));
        return item === undefined ? leaf : readLeafItem(item, leaf);
      });
    },
  };
}
