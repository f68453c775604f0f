import { NotifierError } from '#shared/core/errors.ts';
import type { SnapshotRecord } from '#shared/core/events/snapshot-events.ts';
import type { FeedKey, FeedName } from '#shared/core/feeds.ts';
import {
  computeLeafIndex,
  type Leaf,
  leavesMatchHeads,
  type SliceHead,
} from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from './poll/ports.ts';

/** Leaves per read: about a thousand records. */
const READ_LEAVES = 50;
/** Readings of one slice that gets new leaves each time. */
const MAX_READINGS = 5;

export type RecordStore = Pick<SnapshotStore, 'loadHeads' | 'readLeaves'>;

/** Stored records of a feed. */
export interface RecordSelection {
  readonly feed: FeedName;
  /** Only these; then removed ones count too, as far as they are remembered. */
  readonly ids?: readonly string[];
}

/**
 * The leaves that may hold selected records, in the order of slices and leaves. A record that moves meanwhile to a slice
 * that was read already is left out: its move is an event. Throws a retryable `NotifierError` (`records_moved`) for a
 * slice that gets new leaves all the time.
 */
export async function* walkLeaves(
  connection: string,
  { feed: name, ids }: RecordSelection,
  store: RecordStore,
): AsyncGenerator<Leaf, void> {
  const feed: FeedKey = { connection, feed: name };
  for (const head of await store.loadHeads(feed, ''))
    if (head.recordCount + head.tombstoneCount > 0) yield* walkSlice(head, { feed, ids, store });
}

interface Walk {
  readonly feed: FeedKey;
  readonly ids: readonly string[] | undefined;
  readonly store: RecordStore;
}

/** Begins again when the slice gets new leaves meanwhile: those of the head that was read are deleted then. */
async function* walkSlice(known: SliceHead, walk: Walk): AsyncGenerator<Leaf, void> {
  let head = known;
  for (let readings = 1; readings <= MAX_READINGS; readings += 1) {
    const next = yield* walkGeneration(head, walk);
    if (next === null) return;
    head = next;
  }
  throw new NotifierError(
    'records_moved',
    `slice ${known.slice} gets new leaves all the time; run it again`,
    { retryable: true },
  );
}

/** Returns the head with other leaves, when there is one; null once all leaves were read. */
async function* walkGeneration(head: SliceHead, walk: Walk): AsyncGenerator<Leaf, SliceHead | null> {
  const { slice, generation, leafCount } = head;
  const indexes =
    walk.ids === undefined
      ? Array.from({ length: leafCount }, (_, index) => index)
      : [...new Set(walk.ids.map((id) => computeLeafIndex(id, leafCount)))].sort((a, b) => a - b);
  for (let start = 0; start < indexes.length; start += READ_LEAVES) {
    const refs = indexes.slice(start, start + READ_LEAVES).map((index) => ({ slice, generation, index }));
    for (const leaf of await walk.store.readLeaves(walk.feed, refs)) {
      const next = await findNewGeneration(head, leaf, walk);
      if (next !== null) return next;
      yield leaf;
    }
  }
  return null;
}

/** A leaf that its head does not describe was written since; or it is gone, and another head names new ones. */
async function findNewGeneration(
  head: SliceHead,
  leaf: Leaf,
  { feed, store }: Walk,
): Promise<SliceHead | null> {
  if (leavesMatchHeads([leaf], new Map([[head.slice, head]]))) return null;
  const now = (await store.loadHeads(feed, head.slice)).find(({ slice }) => slice === head.slice);
  return now === undefined || now.generation === head.generation ? null : now;
}

/**
 * The selected records of a leaf, in the order of their ids. Without those of which nothing was published yet (ADR 2):
 * their stored state lacks its facts, and if they are removed before these are published, no event says so.
 */
export function selectRecords(leaf: Leaf, { ids }: RecordSelection): SnapshotRecord[] {
  const wanted = ids === undefined ? null : new Set(ids);
  const rows = leaf.rows.filter((row) => row.untold !== true && (wanted?.has(row.id) ?? true));
  const removed = wanted === null ? [] : leaf.tombstones.filter(({ id }) => wanted.has(id));
  return [...rows, ...removed].sort((left, right) => (left.id < right.id ? -1 : 1));
}
