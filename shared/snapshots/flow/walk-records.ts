import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import {
  computeLeafIndex,
  type Leaf,
  leavesMatchHeads,
  type SliceHead,
} from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { findFirstSlice, mayHold, type RecordCursor, type RecordSelection } from '../stored-records.ts';

/** Leaves per read: about a thousand records. */
const READ_LEAVES = 50;
/** Readings of one slice that gets new leaves each time. */
const MAX_READINGS = 5;

export type RecordStore = Pick<SnapshotStore, 'loadHeads' | 'readLeaves'>;

export interface RecordWalk {
  readonly connection: string;
  readonly select: readonly RecordSelection[];
  /** Where an earlier walk stopped; null for the beginning. */
  readonly after: RecordCursor | null;
}

/** One leaf, from an id on. */
export interface LeafPlace {
  readonly feed: FeedKey;
  readonly selection: RecordSelection;
  /** Position of the selection in the walk. */
  readonly index: number;
  readonly leaf: Leaf;
  /** The last id that is done; null for none. */
  readonly after: string | null;
}

/**
 * The leaves that may hold selected records, in the order of slices and leaves. A record that moves meanwhile to a slice
 * that was read already is left out: its move is an event. Throws a retryable `NotifierError` (`records_moved`) for a
 * slice that gets new leaves all the time.
 */
export async function* walkRecords(
  { connection, select, after }: RecordWalk,
  store: RecordStore,
): AsyncGenerator<LeafPlace, void> {
  for (const [index, selection] of select.entries()) {
    if (after !== null && index < after.selection) continue;
    const cursor = after?.selection === index ? after : null;
    const feed: FeedKey = { connection, feed: selection.feed };
    const heads = await store.loadHeads(feed, findFirstSlice(selection));
    const due = heads.filter((head) => mayHold(selection, head) && head.slice >= (cursor?.slice ?? ''));
    for (const head of due) {
      const own = cursor?.slice === head.slice ? cursor : null;
      yield* walkSlice(head, { feed, selection, index, cursor: own }, store);
    }
  }
}

interface SlicePlace extends Pick<LeafPlace, 'feed' | 'selection' | 'index'> {
  readonly cursor: RecordCursor | null;
}

/** Begins again when the slice gets new leaves meanwhile: those of the head that was read are deleted then. */
async function* walkSlice(
  known: SliceHead,
  { cursor, ...place }: SlicePlace,
  store: RecordStore,
): AsyncGenerator<LeafPlace, void> {
  let head = known;
  for (let readings = 1; readings <= MAX_READINGS; readings += 1) {
    const own = cursor?.generation === head.generation ? cursor : null;
    const next = yield* walkGeneration(head, { ...place, cursor: own }, store);
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
async function* walkGeneration(
  head: SliceHead,
  { cursor, ...place }: SlicePlace,
  store: RecordStore,
): AsyncGenerator<LeafPlace, SliceHead | null> {
  for await (const leaf of readLeaves(head, { ...place, cursor }, store)) {
    const next = await findNewGeneration(head, leaf, { feed: place.feed, store });
    if (next !== null) return next;
    yield { ...place, leaf, after: cursor?.leaf === leaf.index ? cursor.id : null };
  }
  return null;
}

async function* readLeaves(
  { slice, generation, leafCount }: SliceHead,
  { feed, selection, cursor }: SlicePlace,
  store: RecordStore,
): AsyncGenerator<Leaf, void> {
  const indexes =
    selection.ids === undefined
      ? Array.from({ length: leafCount }, (_, index) => index)
      : [...new Set(selection.ids.map((id) => computeLeafIndex(id, leafCount)))].sort((a, b) => a - b);
  const due = indexes.filter((index) => index >= (cursor?.leaf ?? 0));
  for (let start = 0; start < due.length; start += READ_LEAVES) {
    const refs = due.slice(start, start + READ_LEAVES).map((index) => ({ slice, generation, index }));
    yield* await store.readLeaves(feed, refs);
  }
}

/** A leaf that its head does not describe was written since; or it is gone, and another head names new ones. */
async function findNewGeneration(
  head: SliceHead,
  leaf: Leaf,
  { feed, store }: { readonly feed: FeedKey; readonly store: RecordStore },
): Promise<SliceHead | null> {
  if (leavesMatchHeads([leaf], new Map([[head.slice, head]]))) return null;
  const now = (await store.loadHeads(feed, head.slice)).find(({ slice }) => slice === head.slice);
  return now === undefined || now.generation === head.generation ? null : now;
}
