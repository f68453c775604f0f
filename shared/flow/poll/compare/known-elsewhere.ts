import { ApproximateIdSet } from '#shared/core/compare/approximate-id-set.ts';
import { findCandidateLeavesInSlice, findDifferingLeaves } from '#shared/core/compare/differing-leaves.ts';
import type { Scan } from '#shared/core/fetch/scan.ts';
import { type Leaf, type LeafRef, toLeafKey } from '#shared/core/snapshot/snapshot.ts';
import type { PollRun } from '../poll-run.ts';
import { batchLeafRefs, listLeafRefs, readMatchingLeaves } from './read-leaves.ts';

/**
 * The records of a new slice that another slice knows: they moved, and must not enter two baselines. Null when another
 * poll committed in between.
 */
export async function knownElsewhere(
  ids: ReadonlySet<string>,
  scan: Scan,
  run: PollRun,
): Promise<ReadonlySet<string> | null> {
  const suspects = await findSuspects(ids, run);
  if (suspects === null || suspects.size === 0) return suspects;
  const differing = new Set(findDifferingLeaves(scan, run.heads).map(toLeafKey));
  const known = new Set<string>();
  const isSearched = await searchLeaves(
    { ids: suspects, scan, differing },
    ({ rows, tombstones }) => {
      for (const { id } of [...rows, ...tombstones]) if (ids.has(id)) known.add(id);
    },
    run,
  );
  return isSearched ? known : null;
}

export interface Search {
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
  for (const head of run.heads.values()) {
    for (const ref of findCandidateLeavesInSlice(ids, head, { scan, differing }))
      if (known?.has(toLeafKey(ref)) !== true) yield ref;
  }
}

/** The leaves that hold the rows or tombstones of records: they are read when these are compared. */
export class LeafLocations {
  readonly #refs = new Map<string, LeafRef[]>();

  add(id: string, { slice, generation, index }: LeafRef): void {
    const ref = { slice, generation, index };
    const known = this.#refs.get(id);
    if (known === undefined) this.#refs.set(id, [ref]);
    else known.push(ref);
  }

  of(id: string): readonly LeafRef[] {
    return this.#refs.get(id) ?? [];
  }
}

/**
 * All of the ids, once the baseline is complete. While it is installed most records of a connection are new, and to
 * search every slice for each would read all leaves over and over: then only the ids that some slice may know.
 */
async function findSuspects(ids: ReadonlySet<string>, run: PollRun): Promise<ReadonlySet<string> | null> {
  if (run.state.baseline?.completedAt != null) return ids;
  run.baselineIds.current ??= await loadApproximateIds(run);
  const approximateIds = run.baselineIds.current;
  return approximateIds === null ? null : new Set([...ids].filter((id) => approximateIds.mayHave(id)));
}

/** The slices that an interrupted baseline installed are read once. */
async function loadApproximateIds(run: PollRun): Promise<ApproximateIdSet | null> {
  const approximateIds = new ApproximateIdSet();
  for (const head of run.heads.values()) {
    if (head.recordCount + head.tombstoneCount === 0) continue;
    for (const refs of batchLeafRefs(listLeafRefs(head))) {
      const leaves = await readMatchingLeaves(refs, run);
      if (leaves === null) return null;
      for (const { rows, tombstones } of leaves)
        for (const { id } of [...rows, ...tombstones]) approximateIds.add(id);
    }
  }
  return approximateIds;
}

/** From now on some slice may know what a scan saw. */
export function addApproximateIds(scan: Scan, { baselineIds }: PollRun): void {
  for (const id of scan.records.keys()) baselineIds.current?.add(id);
}
