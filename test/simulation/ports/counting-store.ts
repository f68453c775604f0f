import { findDigestPage } from '#shared/core/commit/commit-step.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';

/** Items that a poll read, wrote and deleted. */
export interface ItemCounts {
  heads: number;
  leavesRead: number;
  eventsRead: number;
  written: number;
  deleted: number;
}

export function noItems(): ItemCounts {
  return { heads: 0, leavesRead: 0, eventsRead: 0, written: 0, deleted: 0 };
}

/** Counts the items of each call as the real table has them, and notes committed events. */
export function countingStore(
  store: SnapshotStore,
  counts: ItemCounts,
  noteEvents: (texts: readonly string[]) => void,
): SnapshotStore {
  return {
    ...store,
    loadHeads: async (feed, from) => {
      const heads = await store.loadHeads(feed, from);
      for (const head of heads) counts.heads += itemsOfHead(head);
      return heads;
    },
    readLeaves: async (feed, refs) => {
      counts.leavesRead += refs.length;
      return await store.readLeaves(feed, refs);
    },
    readEvents: async (feed, pointer) => {
      counts.eventsRead += Number(pointer.slice(pointer.lastIndexOf('/') + 1));
      return await store.readEvents(feed, pointer);
    },
    writeGeneration: async (feed, leaves) => {
      counts.written += leaves.length;
      await store.writeGeneration(feed, leaves);
    },
    deleteLeaves: async (feed, refs) => {
      counts.deleted += refs.length;
      await store.deleteLeaves(feed, refs);
    },
    commit: async (step) => {
      const outcome = await store.commit(step);
      counts.written += step.heads.length + step.leaves.length + (step.events?.chunks.length ?? 0);
      if (outcome === 'committed') noteEvents(step.events?.chunks.flat() ?? []);
      return outcome;
    },
    saveFeedState: async (write) => {
      counts.written += 1 + (write.events?.chunks.length ?? 0);
      const outcome = await store.saveFeedState(write);
      if (outcome === 'committed') noteEvents(write.events?.chunks.flat() ?? []);
      return outcome;
    },
  };
}

/** A head and the pages of its digests. */
function itemsOfHead({ leafCount }: SliceHead): number {
  return 1 + (findDigestPage(leafCount - 1, leafCount) ?? -1) + 1;
}
