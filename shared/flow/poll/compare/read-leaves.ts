import { leavesMatchHeads } from '#shared/core/compare/differing-leaves.ts';
import type { Leaf, LeafRef, SliceHead } from '#shared/core/snapshot/snapshot.ts';
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
  return leavesMatchHeads(leaves, run.heads) ? leaves : null;
}

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
