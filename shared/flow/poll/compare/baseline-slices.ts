import {
  beginRegrowth,
  chooseBaselineMode,
  needsBaseline,
  SliceBaseline,
} from '#shared/core/commit/baseline-slice.ts';
import type { CommitOutcome } from '#shared/core/commit/commit-step.ts';
import { type NewGeneration, planGenerationSwitch } from '#shared/core/commit/generation-switch.ts';
import { planFenceWrite } from '#shared/core/commit/insert-fence.ts';
import type { FormCheck } from '#shared/core/compare/source-form.ts';
import { isComplete, recordsBySlice, type Scan, type ScannedRecord } from '#shared/core/fetch/scan.ts';
import { COMMIT_DROPPED, type StageOutcome } from '#shared/core/outcome/stage-outcome.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { beginEpoch } from '#shared/core/snapshot/epochs.ts';
import { readEpochRule } from '#shared/core/snapshot/recognize-table.ts';
import { isCrowded, type LeafRef, type SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { PollRun } from '../poll-run.ts';
import { addApproximateIds, knownElsewhere } from './known-elsewhere.ts';
import { batchLeafRefs, listLeafRefs, readMatchingLeaves } from './read-leaves.ts';

/**
 * Baselines the slices of a complete scan that were never scanned before (rule 5). While the source sends what cannot
 * be read, a slice with such records waits: records left out now would be published as new later. False when another
 * poll committed first.
 */
export async function baselineNewSlices(scan: Scan, form: FormCheck, run: PollRun): Promise<boolean> {
  const records = isComplete(scan) ? recordsBySlice(scan) : new Map<string, ScannedRecord[]>();
  const waiting = new Set(form.change?.slices);
  for (const [slice, newcomers] of records) {
    if (!needsBaseline(run.heads.get(slice)) || waiting.has(slice)) continue;
    if (!(await baselineSlice({ scan, form, slice, newcomers }, run))) return false;
  }
  addApproximateIds(scan, run);
  return true;
}

interface NewSlice {
  readonly scan: Scan;
  readonly form: FormCheck;
  readonly slice: string;
  readonly newcomers: readonly ScannedRecord[];
}

async function baselineSlice({ scan, form, slice, newcomers }: NewSlice, run: PollRun): Promise<boolean> {
  const head = run.heads.get(slice);
  const elsewhere = await knownElsewhere(new Set(newcomers.map(({ id }) => id)), scan, run);
  if (elsewhere === null) return false;
  const observedAt = scan.startedAt ?? run.startedAt;
  const baseline = new SliceBaseline({
    definition: run.definition,
    slice,
    head,
    leaves: head === undefined ? [] : await run.ports.store.readLeaves(run.feed, listLeafRefs(head)),
    records: newcomers,
    invalid: form.invalid,
    knownElsewhere: elsewhere,
    mode: chooseBaselineMode(slice, run.state.baseline),
    generation: generationName(run, (head?.revision ?? 0) + 1),
    observedAt,
    epoch: beginEpoch(observedAt, readEpochRule(run.state)),
  });
  const written: LeafRef[] = [];
  for (const leaves of baseline.pieces()) {
    await run.ports.store.writeGeneration(run.feed, leaves);
    for (const { generation, index } of leaves) written.push({ slice, generation, index });
  }
  const fence = newcomers.length > 0 && slice !== WHOLE_LIST ? [planFenceWrite(run.heads)] : [];
  const plan = { head: baseline.head(), leaves: written, before: head, fence };
  return (await switchGeneration(plan, run)) === 'committed';
}

/** What a slice is expected to hold; 0 when nothing more than it holds. */
type CountExpected = (slice: string) => number;

/** Gives slices that outgrew their leaves, or are about to, new ones. A conflict leaves a slice as it is. */
export async function regrowCrowdedSlices(
  slices: Iterable<string>,
  run: PollRun,
  countExpected: CountExpected = () => 0,
): Promise<readonly StageOutcome[]> {
  const outcomes: CommitOutcome[] = [];
  for (const slice of slices) {
    const head = run.heads.get(slice);
    const expected = countExpected(slice);
    if (head !== undefined && isCrowded(head, expected)) outcomes.push(await regrow(head, expected, run));
  }
  return outcomes.filter((outcome) => outcome === 'conflict').map(() => COMMIT_DROPPED);
}

/** A few leaves at a time: those of the new generation that one of the old one is split into are its alone. */
async function regrow(head: SliceHead, expected: number, run: PollRun): Promise<CommitOutcome> {
  const name = generationName(run, head.revision + 1);
  const generation = beginRegrowth(run.definition, head, { generation: name, expected });
  const written: LeafRef[] = [];
  for (const refs of batchLeafRefs(listLeafRefs(head))) {
    const leaves = await readMatchingLeaves(refs, run);
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
  for (const { head } of step.heads) run.heads.set(head.slice, head);
  if (plan.before !== undefined) await store.deleteLeaves(run.feed, listLeafRefs(plan.before));
  return outcome;
}

function generationName(run: PollRun, revision: number): string {
  return `${revision}-${run.id}`;
}
