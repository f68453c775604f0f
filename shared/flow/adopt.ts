import { hash } from 'node:crypto';
import { needsAdoption, planAdoption, planRegrowth, takeOverOf } from '../core/adoption.ts';
import { arrivalsWrite } from '../core/arrivals.ts';
import type { CommitOutcome, HeadWrite } from '../core/commit-step.ts';
import { beginEpoch } from '../core/epochs.ts';
import { epochRuleOf } from '../core/recognize-table.ts';
import { WHOLE_LIST } from '../core/records/feed-definition.ts';
import { isComplete, recordsBySlice, type Scan, type ScannedRecord } from '../core/scan.ts';
import { type GenerationPlan, isCrowded, type Leaf, leafKey, type SliceHead } from '../core/snapshot.ts';
import { knownElsewhere, noteStanding } from './elsewhere.ts';
import { allLeavesOf } from './leaves.ts';
import type { Run } from './run.ts';

/**
 * Takes over the slices of a complete scan that nobody looked at before (rule 5). Returns the leaves that were
 * written, so that they need not be read to be compared.
 */
export async function adoptNewSlices(
  scan: Scan,
  leaves: ReadonlyMap<string, Leaf>,
  run: Run,
): Promise<Leaf[]> {
  const written: Leaf[] = [];
  const records = isComplete(scan) ? recordsBySlice(scan) : new Map<string, ScannedRecord[]>();
  for (const [slice, newcomers] of records) {
    const head = run.heads.get(slice);
    if (!needsAdoption(head)) continue;
    const ids = new Set(newcomers.map(({ id }) => id));
    const elsewhere = await knownElsewhere(ids, { scan, leaves, run });
    if (elsewhere === null) continue;
    const observedAt = scan.startedAt ?? run.startedAt;
    const plan = planAdoption({
      definition: run.definition,
      slice,
      head,
      leaves: head === undefined ? [] : await run.ports.store.readLeaves(run.feed, allLeavesOf(head)),
      records: newcomers,
      knownElsewhere: elsewhere,
      takeOver: takeOverOf(slice, run.state.baseline),
      generation: generationName(run, (head?.revision ?? 0) + 1),
      observedAt,
      epoch: beginEpoch(observedAt, epochRuleOf(run.state)),
    });
    const arrivals = newcomers.length > 0 && slice !== WHOLE_LIST ? [arrivalsWrite(run.heads)] : [];
    const outcome = await switchGeneration(plan, { before: head, arrivals }, run);
    if (outcome === 'committed') written.push(...plan.leaves);
  }
  noteStanding(scan, run);
  return written;
}

/** Gives slices that outgrew their leaves new ones, after everything else is done. */
export async function regrowCrowdedSlices(slices: Iterable<string>, run: Run): Promise<void> {
  for (const slice of slices) {
    const head = run.heads.get(slice);
    if (head === undefined || !isCrowded(head)) continue;
    const leaves = await run.ports.store.readLeaves(run.feed, allLeavesOf(head));
    const plan = planRegrowth(run.definition, { head, leaves }, generationName(run, head.revision + 1));
    if (!sameRecords(plan.head, head)) continue;
    await switchGeneration(plan, { before: head, arrivals: [] }, run);
  }
}

/** Leaves that changed between reading the head and reading them belong to another commit: leave it alone. */
function sameRecords(planned: SliceHead, head: SliceHead): boolean {
  return planned.recordCount === head.recordCount;
}

/** Leaves first, then one write of the head that points to them, then the old ones go. */
async function switchGeneration(
  plan: GenerationPlan,
  { before, arrivals }: { readonly before: SliceHead | undefined; readonly arrivals: readonly HeadWrite[] },
  run: Run,
): Promise<CommitOutcome> {
  const { store } = run.ports;
  await store.writeGeneration(run.feed, plan.leaves);
  const outcome = await store.commit({
    feed: run.feed,
    token: hash(
      'sha256',
      `${run.feed.connection} ${run.feed.feed} ${plan.head.slice} ${plan.head.generation}`,
      'hex',
    ).slice(0, 36),
    heads: [
      { head: plan.head, expectedRevision: before?.revision ?? null, changedLeaves: null },
      ...arrivals,
    ],
    leaves: [],
    events: null,
    eventsExpireAt: run.startedAt + run.retentionMs,
  });
  if (outcome === 'conflict') {
    run.tally.counts.conflicts += 1;
    run.tally.reasons.add('another poll committed first; the next one looks again');
    await store.deleteLeaves(run.feed, plan.leaves);
    return outcome;
  }
  for (const head of [plan.head, ...arrivals.map((write) => write.head)]) run.heads.set(head.slice, head);
  if (before !== undefined) await store.deleteLeaves(run.feed, allLeavesOf(before));
  return outcome;
}

function generationName(run: Run, revision: number): string {
  return `${revision}-${run.id}`;
}

/** Leaves by key, the later ones winning. */
export function withLeaves(leaves: ReadonlyMap<string, Leaf>, more: readonly Leaf[]): Map<string, Leaf> {
  const all = new Map(leaves);
  for (const leaf of more) all.set(leafKey(leaf), leaf);
  return all;
}
