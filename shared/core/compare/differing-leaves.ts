import { isComplete, recordsBySlice, type Scan, type ScannedRecord } from '../fetch/scan.ts';
import type { Coverage } from '../snapshot/feed-state.ts';
import {
  computeLeafIndex,
  createDigests,
  isEmptyDigest,
  isSameDigest,
  type Leaf,
  type LeafRef,
  type SliceHead,
  toggleDigest,
  toLeafKey,
  toLeafRef,
} from '../snapshot/snapshot.ts';

/** What is known of the feed: heads by slice, and the leaves read so far, by key. */
export interface Snapshot {
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly leaves: ReadonlyMap<string, Leaf>;
}

/**
 * A head with the start of the last complete scan that found it as committed. The feed's state holds that scan, and the
 * next commit of the slice must keep it (rule 10). Of a scan that could not read some records, the slice is as committed
 * since the earliest instant at which one of these was last seen, if that is known of each.
 */
export function applyLastScan(head: SliceHead, scan: Coverage | undefined): SliceHead {
  if (scan?.revision !== head.revision) return head;
  const unseen = Object.values(scan.unseen ?? {});
  const seenAt = unseen.filter((at) => at !== null);
  if (seenAt.length < unseen.length) return head;
  const at = Math.min(scan.at, ...seenAt);
  return { ...head, observedAt: Math.max(at, head.observedAt ?? at) };
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
    // An incomplete scan proves nothing about a leaf of which it saw no record.
    if (!complete && !touched.has(index)) continue;
    if (!isSameDigest(digests, head.digests, index)) {
      refs.push({ slice: head.slice, generation: head.generation, index });
    }
  }
  return refs;
}

/** A set of keys of leaves. */
export interface LeafKeys {
  has(key: string): boolean;
}

/** Leaves of one slice that may hold rows or tombstones of records. `differing`: keys of leaves that the scan changed. */
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
  // A leaf that a complete scan found unchanged holds exactly the records seen there, and the unknown one is elsewhere.
  return !(scan.slices.has(head.slice) && isComplete(scan)) || differing.has(toLeafKey(ref));
}

/** A leaf that does not hold what the scan saw, with the scanned records of its ids. */
export interface DifferingLeaf {
  readonly ref: LeafRef;
  readonly records: readonly ScannedRecord[];
  /** Rows that it is expected to hold: the average of its slice. */
  readonly rows: number;
}

/** The leaves that differ from a scan, in the order of slices and leaves. */
export function findDifferingLeavesWithRecords(
  scan: Scan,
  heads: ReadonlyMap<string, SliceHead>,
): readonly DifferingLeaf[] {
  const leaves = new Map<string, { ref: LeafRef; records: ScannedRecord[]; rows: number }>();
  for (const ref of findDifferingLeaves(scan, heads)) {
    leaves.set(toLeafKey(ref), { ref, records: [], rows: averageRowsPerLeaf(ref, heads) });
  }
  const slices = new Set([...leaves.values()].map(({ ref }) => ref.slice));
  for (const record of scan.records.values()) {
    const head = slices.has(record.slice) ? heads.get(record.slice) : undefined;
    if (head !== undefined) leaves.get(toLeafKey(toLeafRef(head, record.id)))?.records.push(record);
  }
  return [...leaves.values()];
}

/** Average rows of the leaves of a slice; 0 when its head is not loaded. */
export function averageRowsPerLeaf({ slice }: LeafRef, heads: ReadonlyMap<string, SliceHead>): number {
  const head = heads.get(slice);
  return head === undefined ? 0 : head.recordCount / head.leafCount;
}

/** Cuts a list into batches that weigh at most `bound`, unless a single member weighs more. */
export function cutByWeight<Member>(
  members: readonly Member[],
  weigh: (member: Member) => number,
  bound: number,
): Member[][] {
  const batches: Member[][] = [];
  let weight = 0;
  for (const member of members) {
    const own = weigh(member);
    const last = batches.at(-1);
    if (last === undefined || weight + own > bound) {
      batches.push([member]);
      weight = own;
    } else {
      last.push(member);
      weight += own;
    }
  }
  return batches;
}
