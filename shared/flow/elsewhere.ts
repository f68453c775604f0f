import { hideoutsOf } from '../core/look.ts';
import type { Scan } from '../core/scan.ts';
import type { Leaf } from '../core/snapshot.ts';
import { StandingIds } from '../core/standing-ids.ts';
import { allLeavesOf, readLeaves } from './leaves.ts';
import type { Run } from './run.ts';

interface Elsewhere {
  readonly scan: Scan;
  readonly leaves: ReadonlyMap<string, Leaf>;
  readonly run: Run;
}

/**
 * Who of a new slice's records is known in another slice, so that he moved and is not taken over twice. Read slice
 * by slice, so that memory stays flat; null when another poll got in between.
 */
export async function knownElsewhere(
  ids: ReadonlySet<string>,
  { scan, leaves, run }: Elsewhere,
): Promise<Set<string> | null> {
  const known = new Set<string>();
  const note = (leaf: Leaf) => {
    for (const { id } of [...leaf.rows, ...leaf.tombstones]) if (ids.has(id)) known.add(id);
  };
  for (const leaf of leaves.values()) note(leaf);
  const suspects = await suspectsAmong(ids, run);
  if (suspects === null) return null;
  for (const head of suspects.size === 0 ? [] : run.heads.values()) {
    const refs = hideoutsOf(suspects, scan, { heads: new Map([[head.slice, head]]), leaves });
    const hideouts = await readLeaves(refs, run);
    if (hideouts === null) return null;
    for (const leaf of hideouts) note(leaf);
  }
  return known;
}

/**
 * Everybody, once the baseline is complete. While it is installed most of a connection is new, and looking for each
 * in every slice would read all of them over and over: then only those of whom this poll knows that they may stand
 * somewhere.
 */
async function suspectsAmong(ids: ReadonlySet<string>, run: Run): Promise<ReadonlySet<string> | null> {
  if (run.state.baseline?.completedAt != null) return ids;
  run.tally.standing ??= await allStanding(run);
  const { standing } = run.tally;
  return standing === null ? null : new Set([...ids].filter((id) => standing.mayHave(id)));
}

/** What an interrupted installation left is read once. */
async function allStanding(run: Run): Promise<StandingIds | null> {
  const standing = new StandingIds();
  for (const head of run.heads.values()) {
    if (head.recordCount + head.tombstoneCount === 0) continue;
    const leaves = await readLeaves(allLeavesOf(head), run);
    if (leaves === null) return null;
    for (const { rows, tombstones } of leaves)
      for (const { id } of [...rows, ...tombstones]) standing.add(id);
  }
  return standing;
}

/** What a scan saw may stand in a slice from now on. */
export function noteStanding(scan: Scan, { tally }: Run): void {
  if (tally.standing === null) return;
  for (const id of scan.records.keys()) tally.standing.add(id);
}
