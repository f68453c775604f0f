import { leavesMatchHeads } from '../core/look.ts';
import type { Leaf, LeafRef, SliceHead } from '../core/snapshot.ts';
import type { Run } from './run.ts';

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
