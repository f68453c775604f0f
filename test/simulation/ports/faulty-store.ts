import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { LoggedBatch } from '#shared/flow/event-log.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { StoreCall } from '../faults.ts';
import { comeBack, goTo, type PollLife } from './poll-life.ts';

/** The database refused a call or lost an answer. It is no `NotifierError`, so the poll ends with it. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}

/**
 * The store of one poll: every call takes time before and after its effect, when the poll may crash, and may fail
 * before or after its effect.
 */
export function faultyStore(store: SnapshotStore, poll: PollLife): SnapshotStore {
  const { faults } = poll;
  const through = async <Result>(call: StoreCall, effect: () => Promise<Result>): Promise<Result> => {
    await goTo(call, poll, faults.random.between(1, 30));
    if (faults.happens(`store_error_before:${call}`)) throw new StoreFailure(`${call} was refused`);
    const result = await effect();
    if (faults.happens(`store_error_after:${call}`)) throw new StoreFailure(`the answer to ${call} was lost`);
    await comeBack(call, poll, faults.random.between(1, 30));
    return result;
  };
  /** A client that lost the answer repeats the write with the same token. */
  const twice = async <Result>(effect: () => Promise<Result>): Promise<Result> => {
    const outcome = await effect();
    if (outcome !== 'committed' || !faults.happens('repeated_write')) return outcome;
    return await effect();
  };
  /** A read of many items is not atomic: commits may change later items before they are read. */
  const torn = async <Item>(read: () => Promise<readonly Item[]>, join: Join<Item>) => {
    const early = await read();
    if (early.length < 2 || !faults.happens('torn_read')) return early;
    await poll.life.pause(faults.random.between(1, 400));
    return join(early, await read(), faults.random.between(1, early.length - 1));
  };
  return {
    // No rule depends on these.
    ...store,
    loadFeedState: (feed) => through('loadFeedState', () => store.loadFeedState(feed)),
    saveFeedState: (write) => through('saveFeedState', () => twice(() => store.saveFeedState(write))),
    loadHeads: (feed, from) => through('loadHeads', () => torn(() => store.loadHeads(feed, from), bySlice)),
    loadInsertFence: (feed) =>
      through('loadHeads', async () => (await store.loadInsertFence?.(feed)) ?? null),
    readLeaves: (feed, refs) =>
      through('readLeaves', () => torn(() => store.readLeaves(feed, refs), byPlace)),
    writeGeneration: (feed, leaves) => through('writeGeneration', () => store.writeGeneration(feed, leaves)),
    deleteLeaves: (feed, refs) => through('deleteLeaves', () => store.deleteLeaves(feed, refs)),
    commit: (step) => through('commit', () => twice(() => store.commit(step))),
    readEvents: (feed, pointer) => through('readEvents', () => store.readEvents(feed, pointer)),
    clearOutbox: (feed, entries) => through('clearOutbox', () => store.clearOutbox(feed, entries)),
    releaseLease: (feed, owner) => through('releaseLease', () => store.releaseLease(feed, owner)),
    loadMembership: (connection) =>
      through('loadMembership', async () => {
        const membership = await store.loadMembership(connection);
        poll.entry.membership = membership.employees;
        return membership;
      }),
    loadWatermark: (feed) =>
      through('loadFeedState', async () => (await store.loadWatermark?.(feed)) ?? null),
    saveWatermark: (feed, write) =>
      through('saveFeedState', async () => (await store.saveWatermark?.(feed, write)) ?? 'conflict'),
    readLog: async function* (feed, between) {
      yield* await through('readEvents', async () => {
        const batches: LoggedBatch[] = [];
        for await (const batch of store.readLog?.(feed, between) ?? []) batches.push(batch);
        return batches;
      });
    },
    saveMembership: (connection, buckets) =>
      through('saveMembership', async () => await store.saveMembership?.(connection, buckets)),
    acquireLease: (feed, lease) =>
      through('acquireLease', async () => {
        const free = await store.acquireLease(feed, { ...lease, takeOver: false });
        if (free) return true;
        if (lease.takeOver) {
          faults.note('lease_taken_over');
          return await store.acquireLease(feed, lease);
        }
        return faults.happens('lease_ignored');
      }),
  };
}

/** Combines two reads: items from a place on are from the later one. */
type Join<Item> = (early: readonly Item[], late: readonly Item[], place: number) => readonly Item[];

function byPlace<Item>(early: readonly Item[], late: readonly Item[], place: number): readonly Item[] {
  return [...early.slice(0, place), ...late.slice(place)];
}

function bySlice(
  early: readonly SliceHead[],
  late: readonly SliceHead[],
  place: number,
): readonly SliceHead[] {
  const from = early[place]?.slice ?? '';
  return [...early.slice(0, place), ...late.filter(({ slice }) => slice >= from)];
}
