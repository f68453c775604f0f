import type { RemovalCheck } from '#shared/core/compare/change.ts';
import type { ClassifiedRecords } from '#shared/core/compare/classify-records.ts';
import { findCandidateLeavesInSlice, type Snapshot } from '#shared/core/compare/differing-leaves.ts';
import type { Scan } from '#shared/core/fetch/scan.ts';
import {
  type Leaf,
  type LeafRef,
  leavesMatchHeads,
  type SliceHead,
  toLeafKey,
  toLeafRef,
} from '#shared/core/snapshot/snapshot.ts';
import type { PollRun } from '../poll-run.ts';

/** Leaves read at once when they are only searched: about 5 MB. */
const BATCH_LEAVES = 100;

/** Reads leaves; null when one does not match its head: another poll committed since it was read (rule 1). */
export async function readMatchingLeaves(
  refs: readonly LeafRef[],
  run: PollRun,
): Promise<readonly Leaf[] | null> {
  if (refs.length === 0) return [];
  const leaves = await run.ports.store.readLeaves(run.feed, refs);
  return leavesMatchHeads(leaves, run.memory.heads.all) ? leaves : null;
}

export function listLeafRefs({ slice, generation, leafCount }: SliceHead): LeafRef[] {
  return Array.from({ length: leafCount }, (_, index) => ({ slice, generation, index }));
}

/** Leaves of a slice, a few at a time; null in place of those that do not match its head. */
export async function* readSlice(
  head: SliceHead,
  run: PollRun,
): AsyncGenerator<readonly Leaf[] | null, void> {
  for (const refs of batchLeafRefs(listLeafRefs(head))) yield await readMatchingLeaves(refs, run);
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

/** Leaves beside the heads as they are known. */
export function toSnapshot(leaves: readonly Leaf[], { memory }: PollRun): Snapshot {
  return { heads: memory.heads.all, leaves: new Map(leaves.map((leaf) => [toLeafKey(leaf), leaf])) };
}

/** A record that was found on another date goes into a leaf there. */
export async function readAnsweredLeaves(
  { absent }: ClassifiedRecords,
  { answers, snapshot }: { readonly answers: ReadonlyMap<string, RemovalCheck>; readonly snapshot: Snapshot },
  run: PollRun,
): Promise<Snapshot | null> {
  const refs: LeafRef[] = [];
  for (const { row } of absent) {
    const answer = answers.get(row.id);
    const head = answer?.outcome === 'found' ? run.memory.heads.get(answer.record.slice) : undefined;
    if (head !== undefined) refs.push(toLeafRef(head, row.id));
  }
  return await readMissingLeaves(snapshot, refs, run);
}

/** Reads the leaves that are not there yet; null when one does not match its head (rule 1). */
export async function readMissingLeaves(
  snapshot: Snapshot,
  refs: readonly LeafRef[],
  run: PollRun,
): Promise<Snapshot | null> {
  const missing = refs.filter((ref) => !snapshot.leaves.has(toLeafKey(ref)));
  const read = await readMatchingLeaves(missing, run);
  if (read === null) return null;
  const leaves = new Map<string, Leaf>(snapshot.leaves);
  for (const leaf of read) leaves.set(toLeafKey(leaf), leaf);
  return { heads: snapshot.heads, leaves };
}

interface Search {
  readonly ids: ReadonlySet<string>;
  readonly scan: Scan;
  /** Keys of the scan's own leaves that are to be searched too. */
  readonly differing: { has(key: string): boolean };
  /** Keys of leaves that need not be shown. */
  readonly known?: { has(key: string): boolean };
}

/**
 * Shows every leaf of any slice in which one of some records would be. A few leaves at a time, which are let go
 * again, so that memory stays flat however many there are (rule 15). False when another poll committed in between.
 */
export async function searchLeaves(
  search: Search,
  visit: (leaf: Leaf) => void,
  run: PollRun,
): Promise<boolean> {
  for (const refs of batchLeafRefs(iterateCandidateLeaves(search, run))) {
    const leaves = await readMatchingLeaves(refs, run);
    if (leaves === null) return false;
    for (const leaf of leaves) visit(leaf);
  }
  return true;
}

function* iterateCandidateLeaves(
  { ids, scan, differing, known }: Search,
  run: PollRun,
): Generator<LeafRef, void> {
  if (ids.size === 0) return;
  for (const head of run.memory.heads.all.values()) {
    for (const ref of findCandidateLeavesInSlice(ids, head, { scan, differing }))
      if (known?.has(toLeafKey(ref)) !== true) yield ref;
  }
}
