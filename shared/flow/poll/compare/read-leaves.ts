import { dropStrayRows, isDamaged, leavesMatchHeads } from '#shared/core/compare/differing-leaves.ts';
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
  const others = leaves.filter((leaf) => !leavesMatchHeads([leaf], run.heads));
  if (others.length === 0) return leaves;
  if (await areDamaged(others, run)) return leaves.map((leaf) => dropStrayRows(leaf, run.heads));
  return null;
}

/**
 * Whether leaves differ from their heads for good: a version that did not make texts well-formed wrote what a leaf
 * could not hold. Each commit to a leaf moves its head on, so with the same head before and after reading the leaf
 * no commit came in between, and what the leaf holds is all there is. The next commit to it corrects its head.
 */
async function areDamaged(leaves: readonly Leaf[], run: PollRun): Promise<boolean> {
  if (!leaves.every(isDamaged)) return false;
  const [first = ''] = leaves.map(({ slice }) => slice).sort();
  const heads = await run.ports.store.loadHeads(run.feed, first);
  const now = new Map(heads.map((head) => [head.slice, head]));
  return leaves.every(({ slice, generation }) => {
    const [read, reread] = [run.heads.get(slice), now.get(slice)];
    return read?.generation === generation && reread?.revision === read.revision;
  });
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
