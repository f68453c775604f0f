import type { SnapshotStore } from '#shared/flow/poll/ports.ts';

/** A store whose every write is an error, leases included. */
export function createReadOnlyStore(store: SnapshotStore): SnapshotStore {
  const refuse = async (): Promise<never> => {
    throw new Error('a write reached a read-only store');
  };
  const { loadFeedState, loadHeads, readLeaves, readEvents, loadLedger, loadMembership, tableId } = store;
  return {
    loadFeedState,
    loadHeads,
    readLeaves,
    readEvents,
    loadLedger,
    loadMembership,
    tableId,
    saveFeedState: refuse,
    saveLedger: refuse,
    writeGeneration: refuse,
    deleteLeaves: refuse,
    commit: refuse,
    clearOutbox: refuse,
    acquireLease: refuse,
    releaseLease: refuse,
  };
}
