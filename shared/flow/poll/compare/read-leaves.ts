import type { KnownHeads } from '#shared/core/commit/known-heads.ts';
import type { RemovalCheck } from '#shared/core/compare/change.ts';
import type { ClassifiedRecords } from '#shared/core/compare/classify-records.ts';
import { findCandidateLeavesInSlice, type Snapshot } from '#shared/core/compare/differing-leaves.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { Scan } from '#shared/core/fetch/scan.ts';
import {
  type Leaf,
  type LeafRef,
  leavesMatchHeads,
  type SliceHead,
  toLeafKey,
  toLeafRef,
} from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '../ports.ts';

/** Leaves read at once when they are only searched: about 5 MB. */
const BATCH_LEAVES = 100;

export function listLeafRefs({ slice, generation, leafCount }: SliceHead): LeafRef[] {
  return Array.from({ length: leafCount }, (_, index) => ({ slice, generation, index }));
}

/** Leaves a few at a time, so that what is read can be let go before more is. */
export function* batchLeafRefs(refs: Iterable<LeafRef>): Generator<readonly LeafRef[], void> {
  let batch: LeafRef[] = [];
  for (const ref of refs) {
    batch.push(ref);
    if (batch.length < BATCH_LEAVES) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Each leaf once. */
export function uniqueRefs(refs: readonly LeafRef[]): LeafRef[] {
  return [...new Map(refs.map((ref) => [toLeafKey(ref), ref])).values()];
}

interface Search {
  readonly ids: ReadonlySet<string>;
  readonly scan: Scan;
  /** Keys of the scan's own leaves that are to be searched too. */
  readonly differing: { has(key: string): boolean };
  /** Keys of leaves that need not be shown. */
  readonly known?: { has(key: string): boolean };
}

/** Reads leaves, as far as they match the heads that a poll knows: else another poll committed since (rule 1). */
export class LeafReader {
  readonly #feed: FeedKey;
  readonly #store: Pick<SnapshotStore, 'readLeaves'>;
  readonly #heads: KnownHeads;

  constructor(feed: FeedKey, store: Pick<SnapshotStore, 'readLeaves'>, heads: KnownHeads) {
    this.#feed = feed;
    this.#store = store;
    this.#heads = heads;
  }

  /** Null when one does not match its head. */
  async readMatching(refs: readonly LeafRef[]): Promise<readonly Leaf[] | null> {
    if (refs.length === 0) return [];
    const leaves = await this.#store.readLeaves(this.#feed, refs);
    return leavesMatchHeads(leaves, this.#heads.all) ? leaves : null;
  }

  /** Leaves of a slice, a few at a time; null in place of those that do not match its head. */
  async *readSlice(head: SliceHead): AsyncGenerator<readonly Leaf[] | null, void> {
    for (const refs of batchLeafRefs(listLeafRefs(head))) yield await this.readMatching(refs);
  }

  /** Leaves beside the heads as they are known. */
  toSnapshot(leaves: readonly Leaf[]): Snapshot {
    return { heads: this.#heads.all, leaves: new Map(leaves.map((leaf) => [toLeafKey(leaf), leaf])) };
  }

  /** A record that was found on another date goes into a leaf there. */
  async readAnswered(
    { absent }: ClassifiedRecords,
    {
      answers,
      snapshot,
    }: { readonly answers: ReadonlyMap<string, RemovalCheck>; readonly snapshot: Snapshot },
  ): Promise<Snapshot | null> {
    const refs: LeafRef[] = [];
    for (const { row } of absent) {
      const answer = answers.get(row.id);
      const head = answer?.outcome === 'found' ? this.#heads.get(answer.record.slice) : undefined;
      if (head !== undefined) refs.push(toLeafRef(head, row.id));
    }
    return await this.readMissing(snapshot, refs);
  }

  /** Reads the leaves that are not there yet; null when one does not match its head. */
  async readMissing(snapshot: Snapshot, refs: readonly LeafRef[]): Promise<Snapshot | null> {
    const read = await this.readMatching(refs.filter((ref) => !snapshot.leaves.has(toLeafKey(ref))));
    if (read === null) return null;
    const leaves = new Map<string, Leaf>(snapshot.leaves);
    for (const leaf of read) leaves.set(toLeafKey(leaf), leaf);
    return { heads: snapshot.heads, leaves };
  }

  /**
   * Visits every leaf of any slice that could hold one of some records, a few leaves at a time, so that memory stays
   * flat (rule 15). False when another poll committed in between.
   */
  async search(search: Search, visit: (leaf: Leaf) => void): Promise<boolean> {
    for (const refs of batchLeafRefs(this.#listCandidates(search))) {
      const leaves = await this.readMatching(refs);
      if (leaves === null) return false;
      for (const leaf of leaves) visit(leaf);
    }
    return true;
  }

  *#listCandidates({ ids, scan, differing, known }: Search): Generator<LeafRef, void> {
    if (ids.size === 0) return;
    for (const head of this.#heads.all.values()) {
      for (const ref of findCandidateLeavesInSlice(ids, head, { scan, differing }))
        if (known?.has(toLeafKey(ref)) !== true) yield ref;
    }
  }
}
