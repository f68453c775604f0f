import { isComplete, recordsBySlice, type Scan, type ScannedRecord } from '../fetch/scan.ts';
import {
  computeLeafIndex,
  createDigests,
  isEmptyDigest,
  isSameDigest,
  toggleDigest,
} from '../snapshot/digests.ts';
import type { Coverage } from '../snapshot/feed-state.ts';
import { describesLeaf, type Leaf, type LeafRef, type SliceHead, toLeafKey } from '../snapshot/snapshot.ts';

/** What is known of the feed: heads of the lookback, and the leaves read so far, by key. */
export interface Snapshot {
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly leaves: ReadonlyMap<string, Leaf>;
}

/**
 * A head with the last look at it that found it as committed: such a look is noted beside it, and the next commit of
 * the slice must not forget it (rule 10). A look that could not read everybody stays where it is noted.
 */
export function applyLastScan(head: SliceHead, look: Coverage | undefined): SliceHead {
  if (look?.revision !== head.revision || look.unseen !== undefined) return head;
  return { ...head, observedAt: Math.max(look.at, head.observedAt ?? look.at) };
}

/** Leaves of the scanned slices that do not hold exactly what the scan saw. Only these are read and compared. */
export function findDifferingLeaves(scan: Scan, heads: ReadonlyMap<string, SliceHead>): LeafRef[] {
  const refs: LeafRef[] = [];
  for (const [slice, records] of recordsBySlice(scan)) {
    const head = heads.get(slice);
    if (head !== undefined) refs.push(...findDifferingLeavesInSlice(head, records, isComplete(scan)));
  }
  return refs;
}

function findDifferingLeavesInSlice(
  head: SliceHead,
  records: readonly ScannedRecord[],
  complete: boolean,
): LeafRef[] {
  const digests = createDigests(head.leafCount);
  const touched = new Set<number>();
  for (const { id, digest } of records) {
    const index = computeLeafIndex(id, head.leafCount);
    toggleDigest(digests, index, digest);
    touched.add(index);
  }
  const refs: LeafRef[] = [];
  for (let index = 0; index < head.leafCount; index += 1) {
    // Of an incomplete scan only what was seen is compared: a leaf without a record of it says nothing.
    if (!complete && !touched.has(index)) continue;
    if (!isSameDigest(digests, head.digests, index)) {
      refs.push({ slice: head.slice, generation: head.generation, index });
    }
  }
  return refs;
}

/**
 * Whether leaves hold what their heads say. When not, somebody committed between our reading of the head and of
 * the leaf: our look is the older one and must be dropped (rule 1).
 */
export function leavesMatchHeads(leaves: readonly Leaf[], heads: ReadonlyMap<string, SliceHead>): boolean {
  return leaves.every((leaf) => {
    const head = heads.get(leaf.slice);
    return head !== undefined && describesLeaf(head, leaf);
  });
}

/**
 * Whether a leaf holds texts that could not be stored as they were. Only such a one is believed against its head: to
 * take a leaf that is merely empty for true would make events of records that are known.
 */
export function isDamaged({ rows }: Leaf): boolean {
  return JSON.stringify(rows).includes('\ufffd');
}

/** A leaf without rows whose ids were damaged so that they belong elsewhere: nobody could find or change them. */
export function dropStrayRows(leaf: Leaf, heads: ReadonlyMap<string, SliceHead>): Leaf {
  const leafCount = heads.get(leaf.slice)?.leafCount ?? 1;
  const rows = leaf.rows.filter(({ id }) => computeLeafIndex(id, leafCount) === leaf.index);
  return rows.length === leaf.rows.length ? leaf : { ...leaf, rows };
}

/** What a scan's leaves say about other slices: keys of leaves that differ, and of those that are read already. */
export interface LeafKeys {
  has(key: string): boolean;
}

/** Leaves of other slices in which records would be, had they been known there before (rule 6). */
export function findCandidateLeaves(ids: Iterable<string>, scan: Scan, snapshot: Snapshot): LeafRef[] {
  const all = [...ids];
  const differing = new Set<string>();
  return [...snapshot.heads.values()]
    .flatMap((head) => findCandidateLeavesInSlice(all, head, { scan, differing }))
    .filter((ref) => !snapshot.leaves.has(toLeafKey(ref)));
}

/** Leaves of one slice in which any of some records would be. */
export function findCandidateLeavesInSlice(
  ids: Iterable<string>,
  head: SliceHead,
  { scan, differing }: { readonly scan: Scan; readonly differing: LeafKeys },
): LeafRef[] {
  if (head.recordCount + head.tombstoneCount === 0) return [];
  const { slice, generation, leafCount } = head;
  const indexes = new Set<number>();
  for (const id of ids) indexes.add(computeLeafIndex(id, leafCount));
  return [...indexes]
    .map((index) => ({ slice, generation, index }))
    .filter((ref) => isCandidate(head, ref, { scan, differing }));
}

function isCandidate(
  head: SliceHead,
  ref: LeafRef,
  { scan, differing }: { readonly scan: Scan; readonly differing: LeafKeys },
): boolean {
  if (head.tombstoneCount > 0) return true;
  if (isEmptyDigest(head.digests, ref.index)) return false;
  // A scanned leaf that does not differ holds exactly what was seen there, and the stranger was seen elsewhere.
  return !(scan.slices.has(head.slice) && isComplete(scan)) || differing.has(toLeafKey(ref));
}
