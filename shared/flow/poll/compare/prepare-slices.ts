import type { CommitOutcome } from '#shared/core/commit/commit-step.ts';
import {
  beginRegrowth,
  chooseBaselineMode,
  type NewGeneration,
  needsBaseline,
  planGenerationSwitch,
  SliceBaseline,
} from '#shared/core/commit/generation.ts';
import { planFenceWrite } from '#shared/core/commit/insert-fence.ts';
import { ApproximateIdSet } from '#shared/core/compare/approximate-id-set.ts';
import { findDifferingLeaves } from '#shared/core/compare/differing-leaves.ts';
import { rewriteSlice } from '#shared/core/compare/row-rewrite.ts';
import type { FormCheck } from '#shared/core/compare/source-form.ts';
import { toEvents } from '#shared/core/events/events.ts';
import { isComplete, recordsBySlice, type Scan, type ScannedRecord } from '#shared/core/fetch/scan.ts';
import { addDroppedCommit } from '#shared/core/outcome/poll-findings.ts';
import { readStoredDate, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import { beginEpoch, NO_EPOCHS } from '#shared/core/snapshot/epochs.ts';
import {
  isCrowded,
  type LeafRef,
  type SliceHead,
  toLeafKey,
  toLeafRef,
} from '#shared/core/snapshot/snapshot.ts';
import { commitChanges } from '../commit-changes.ts';
import type { PollRun } from '../poll-run.ts';
import { listLeafRefs, uniqueRefs } from './read-leaves.ts';

/** Makes room in the slices for what a scan brought. False when another poll committed first. */
export async function prepareSlices(scan: Scan, form: FormCheck, run: PollRun): Promise<boolean> {
  if (!(await returnDistantRecords(scan, run))) return false;
  const records = recordsBySlice(scan);
  const known = [...scan.slices].filter((slice) => run.memory.heads.get(slice)?.baselinedAt != null);
  await regrowCrowdedSlices(known, run, (slice) => records.get(slice)?.length ?? 0);
  return await baselineNewSlices(scan, form, run);
}

/**
 * Baselines the slices of a complete scan that were never scanned before (rule 5). While the source sends what cannot
 * be read, a slice with such records waits: records left out now would be published as new later. False when another
 * poll committed first.
 */
async function baselineNewSlices(scan: Scan, form: FormCheck, run: PollRun): Promise<boolean> {
  const records = isComplete(scan) ? recordsBySlice(scan) : new Map<string, ScannedRecord[]>();
  const waiting = new Set(form.change?.slices);
  for (const [slice, ofSlice] of records) {
    if (!needsBaseline(run.memory.heads.get(slice)) || waiting.has(slice)) continue;
    if (!(await baselineSlice({ scan, form, slice, records: ofSlice }, run))) return false;
  }
  // From now on some slice may know what this scan saw.
  for (const id of scan.records.keys()) run.memory.heads.ids?.add(id);
  return true;
}

interface NewSlice {
  readonly scan: Scan;
  readonly form: FormCheck;
  readonly slice: string;
  readonly records: readonly ScannedRecord[];
}

async function baselineSlice({ scan, form, slice, records }: NewSlice, run: PollRun): Promise<boolean> {
  const head = run.memory.heads.get(slice);
  const elsewhere = await knownElsewhere(new Set(records.map(({ id }) => id)), scan, run);
  if (elsewhere === null) return false;
  const observedAt = scan.startedAt ?? run.startedAt;
  const baseline = new SliceBaseline({
    definition: run.definition,
    slice,
    head,
    leaves: head === undefined ? [] : await run.ports.store.readLeaves(run.feed, listLeafRefs(head)),
    records,
    invalid: form.invalid,
    knownElsewhere: elsewhere,
    mode: chooseBaselineMode(slice, run.state.baseline),
    generation: generationName(run, (head?.revision ?? 0) + 1),
    observedAt,
    epoch: beginEpoch(observedAt, run.eventContext.epochs ?? NO_EPOCHS),
  });
  const written: LeafRef[] = [];
  for (const leaves of baseline.pieces()) {
    await run.ports.store.writeGeneration(run.feed, leaves);
    for (const { generation, index } of leaves) written.push({ slice, generation, index });
  }
  const fence = records.length > 0 && slice !== WHOLE_LIST ? [planFenceWrite(run.memory.heads.all)] : [];
  const plan = { head: baseline.head(), leaves: written, before: head, fence };
  return (await switchGeneration(plan, run)) === 'committed';
}

/**
 * The records of a new slice that another slice knows: they moved, and must not enter two baselines. Null when another
 * poll committed in between.
 */
async function knownElsewhere(
  ids: ReadonlySet<string>,
  scan: Scan,
  run: PollRun,
): Promise<ReadonlySet<string> | null> {
  const suspects = await findSuspects(ids, run);
  if (suspects === null || suspects.size === 0) return suspects;
  const differing = new Set(findDifferingLeaves(scan, run.memory.heads.all).map(toLeafKey));
  const known = new Set<string>();
  const isSearched = await run.leaves.search({ ids: suspects, scan, differing }, ({ rows, tombstones }) => {
    for (const { id } of [...rows, ...tombstones]) if (ids.has(id)) known.add(id);
  });
  return isSearched ? known : null;
}

/**
 * All of the ids, once the baseline is complete. While it is installed most records of a connection are new, and to
 * search every slice for each would read all leaves over and over: then only the ids that some slice may know.
 */
async function findSuspects(ids: ReadonlySet<string>, run: PollRun): Promise<ReadonlySet<string> | null> {
  if (run.state.baseline?.completedAt != null) return ids;
  const { heads } = run.memory;
  const known = heads.ids ?? (await loadApproximateIds(run));
  if (known === null) return null;
  heads.rememberIds(known);
  return new Set([...ids].filter((id) => known.mayHave(id)));
}

/** The slices that an interrupted baseline installed are read once. */
async function loadApproximateIds(run: PollRun): Promise<ApproximateIdSet | null> {
  const approximateIds = new ApproximateIdSet();
  for (const head of run.memory.heads.all.values()) {
    if (head.recordCount + head.tombstoneCount === 0) continue;
    for await (const leaves of run.leaves.readSlice(head)) {
      if (leaves === null) return null;
      for (const { rows, tombstones } of leaves)
        for (const { id } of [...rows, ...tombstones]) approximateIds.add(id);
    }
  }
  return approximateIds;
}

/**
 * Gives slices that outgrew their leaves, or are about to with the number of records expected there, new ones. A
 * conflict leaves a slice as it is.
 */
export async function regrowCrowdedSlices(
  slices: Iterable<string>,
  run: PollRun,
  countExpected: (slice: string) => number = () => 0,
): Promise<void> {
  for (const slice of slices) {
    const head = run.memory.heads.get(slice);
    const expected = countExpected(slice);
    if (head === undefined || !isCrowded(head, expected)) continue;
    if ((await regrow(head, expected, run)) === 'conflict') addDroppedCommit(run.memory.findings);
  }
}

/** A few leaves at a time: those of the new generation that one of the old one is split into are its alone. */
async function regrow(head: SliceHead, expected: number, run: PollRun): Promise<CommitOutcome> {
  const name = generationName(run, head.revision + 1);
  const generation = beginRegrowth(run.definition, head, { generation: name, expected });
  const written: LeafRef[] = [];
  for await (const leaves of run.leaves.readSlice(head)) {
    if (leaves === null) {
      await run.ports.store.deleteLeaves(run.feed, written);
      return 'conflict';
    }
    const rows = leaves.flatMap((leaf) => leaf.rows);
    const tombstones = leaves.flatMap((leaf) => leaf.tombstones);
    const grown = generation.lay({ rows, tombstones });
    await run.ports.store.writeGeneration(run.feed, grown);
    for (const { slice, index } of grown) written.push({ slice, generation: name, index });
  }
  return await switchGeneration({ head: generation.head(), leaves: written, before: head, fence: [] }, run);
}

/** The leaves are written: one write of the head that points to them, then the old ones go. */
async function switchGeneration(plan: NewGeneration, run: PollRun): Promise<CommitOutcome> {
  const { store } = run.ports;
  const step = planGenerationSwitch(plan, {
    feed: run.feed,
    eventsExpireAt: run.startedAt + run.retentionMs,
  });
  const outcome = await store.commit(step);
  if (outcome === 'conflict') {
    await store.deleteLeaves(run.feed, plan.leaves);
    return outcome;
  }
  run.memory.heads.follow(step);
  if (plan.before !== undefined) await store.deleteLeaves(run.feed, listLeafRefs(plan.before));
  return outcome;
}

function generationName(run: PollRun, revision: number): string {
  return `${revision}-${run.id}`;
}

/** Every date of the window is scanned daily: one that was not for this long has just come into it. */
const MIN_AWAY_MS = 48 * 60 * 60_000;

/**
 * Moves records out of the distant slice to their own dates when those come into the window, so that those that are
 * no longer there are missed. False when another poll committed first.
 */
async function returnDistantRecords(scan: Scan, run: PollRun): Promise<boolean> {
  const afar = run.memory.heads.get(DISTANT_SLICE);
  if (afar === undefined || afar.recordCount === 0 || !isComplete(scan)) return true;
  const dates = new Set([...scan.slices].filter((slice) => hasJustEnteredWindow(slice, run)));
  if (dates.size === 0) return true;
  for await (const leaves of run.leaves.readSlice(afar)) {
    if (leaves === null) return false;
    const returning = leaves
      .flatMap(({ rows }) => rows)
      .flatMap((row) => {
        const date = readStoredDate(row.state);
        return dates.has(date) ? [{ date, known: { slice: DISTANT_SLICE, row } }] : [];
      });
    if (returning.length === 0) continue;
    const refs = returning.flatMap(({ date, known }) => {
      const head = run.memory.heads.get(date);
      return head === undefined ? [] : [toLeafRef(head, known.row.id)];
    });
    const targets = await run.leaves.readMatching(uniqueRefs(refs));
    if (targets === null) return false;
    const snapshot = run.leaves.toSnapshot([...leaves, ...targets]);
    // Rows change their slice in silence: there is nothing to publish.
    const changeEvents = returning.map(({ date, known }) =>
      toEvents(rewriteSlice(known, date), run.eventContext),
    );
    if ((await commitChanges({ snapshot, changeEvents }, run)).outcome === 'conflict') return false;
  }
  return true;
}

function hasJustEnteredWindow(slice: string, { memory, startedAt }: PollRun): boolean {
  const head = memory.heads.get(slice);
  return head?.baselinedAt == null || startedAt - (head.observedAt ?? 0) > MIN_AWAY_MS;
}
