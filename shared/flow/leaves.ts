import { leavesMatchHeads } from '../core/look.ts';
import type { Leaf, LeafRef, SliceHead } from '../core/snapshot.ts';
import type { Run } from './run.ts';

/** Leaves that are read at once when they are only looked through: about 5 MB. */
const BATCH_LEAVES = 100;

/** Reads leaves; null when one does not match its head: somebody committed since we read it (rule 1). */
export async function readLeaves(refs: readonly LeafRef[], run: Run): Promise<readonly Leaf[] | null> {
  if (refs.length === 0) return [];
  const leaves = await run.ports.store.readLeaves(run.feed, refs);
  if (leavesMatchHeads(leaves, run.heads)) return leaves;
  run.tally.counts.conflicts += 1;
  run.tally.reasons.add('another poll committed first; the next one looks again');
  return null;
}

export function allLeavesOf({ slice, generation, leafCount }: SliceHead): LeafRef[] {
  return Array.from({ length: leafCount }, (_, index) => ({ slice, generation, index }));
}

/** Leaves a few at a time, so that what is read can be let go before more is. */
export function* batchesOf(refs: Iterable<LeafRef>): Generator<readonly LeafRef[], void> {
  let batch: LeafRef[] = [];
  for (const ref of refs) {
    batch.push(ref);
    if (batch.length < BATCH_LEAVES) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
