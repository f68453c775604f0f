import type { RemovalCheck } from '#shared/core/compare/change.ts';
import type { ClassifiedRecords } from '#shared/core/compare/classify-records.ts';
import type { Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { type Leaf, type LeafRef, toLeafKey, toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import type { PollRun } from '../poll-run.ts';
import { readMatchingLeaves } from './read-leaves.ts';

/** A record that was found on another date goes into a leaf there. */
export async function readAnsweredLeaves(
  { absent }: ClassifiedRecords,
  { answers, snapshot }: { readonly answers: ReadonlyMap<string, RemovalCheck>; readonly snapshot: Snapshot },
  run: PollRun,
): Promise<Snapshot | null> {
  const refs: LeafRef[] = [];
  for (const { row } of absent) {
    const answer = answers.get(row.id);
    const head = answer?.outcome === 'found' ? run.heads.get(answer.record.slice) : undefined;
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
