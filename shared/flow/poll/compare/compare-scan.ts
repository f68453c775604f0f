import { planCommit } from '#shared/core/commit/commit-plan.ts';
import type { Comparison, RemovalCheck } from '#shared/core/compare/change.ts';
import {
  type ClassifiedRecords,
  classifyRecords,
  findRow,
  indexKnownRows,
} from '#shared/core/compare/classify-records.ts';
import { detectChanges } from '#shared/core/compare/detect-changes.ts';
import type { Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { guardLosses, type MassChange, withholdLosses } from '#shared/core/compare/mass-change.ts';
import type { DifferingLeaf } from '#shared/core/compare/scan-parts.ts';
import { type FormCheck, markIncomplete } from '#shared/core/compare/source-form.ts';
import { type ChangeEvents, toEvents } from '#shared/core/events/events.ts';
import { isComplete, recordsBySlice, type Scan } from '#shared/core/fetch/scan.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import { type Leaf, type LeafRef, toLeafKey, toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import { assignCommitTime, hasTimeToCommit, type PollRun } from '../poll-run.ts';
import { commitSteps } from '../publish/commit-steps.ts';
import { baselineNewSlices, regrowCrowdedSlices } from './baseline-slices.ts';
import { confirmRemovals } from './confirm-removals.ts';
import { countClosed } from './count-closed.ts';
import { readMatchingLeaves } from './read-leaves.ts';
import { type ComparedPart, ProgressRecorder } from './record-progress.ts';
import { returnDistantRecords } from './return-distant-records.ts';
import { checkMassDeletion, type Survey, surveyScan } from './survey-scan.ts';

/** What is to be compared. */
export interface ScanToCompare {
  readonly scan: Scan;
  readonly form: FormCheck;
  /** Slices that were committed by others since the source was asked. */
  readonly moved: ReadonlySet<string>;
}

/** How the comparison of a scan went. */
export type ScanOutcome =
  /** What it brought is committed, as far as there was time. */
  | { readonly outcome: 'done' }
  /** Another poll committed first. */
  | { readonly outcome: 'conflict' }
  /** On these slices stands who was seen elsewhere meanwhile: which of the two was later cannot be told. */
  | { readonly outcome: 'overtaken'; readonly slices: ReadonlySet<string> };

const CONFLICT: ScanOutcome = { outcome: 'conflict' };

/**
 * One scan, from what was seen to what is committed: which leaves differ, who is new or missing, what changed,
 * what there is to tell of it, and how it becomes transactions. A large scan is compared and committed part by part;
 * what there is no time for is found again by the next poll.
 */
export async function compareScan({ scan, form, moved }: ScanToCompare, run: PollRun): Promise<ScanOutcome> {
  const readable = form.change === null ? scan : markIncomplete(scan);
  if (!(await returnDistantRecords(scan, run))) return CONFLICT;
  await growCrowdedSlices(scan, run);
  if (!(await baselineNewSlices(scan, form, run))) return CONFLICT;
  const survey = await surveyScan(readable, form, run);
  if (survey === null) return CONFLICT;
  const slices = findOvertakenSlices(survey, { scan, moved });
  if (slices.size > 0) return { outcome: 'overtaken', slices };
  return (await compareSurveyed({ scan: readable, form, survey }, run)) ? { outcome: 'done' } : CONFLICT;
}

/** Slices with a newcomer that others put somewhere else since the source was asked. */
function findOvertakenSlices(
  { strangers, locations }: Survey,
  { scan, moved }: Pick<ScanToCompare, 'scan' | 'moved'>,
): Set<string> {
  if (moved.size === 0) return new Set();
  const overtaken = [...strangers].filter((id) => locations.of(id).some(({ slice }) => moved.has(slice)));
  return new Set(overtaken.flatMap((id) => scan.records.get(id)?.slice ?? []));
}

/** A slice that is about to get more records than its leaves should hold gets more of them first. */
async function growCrowdedSlices(scan: Scan, run: PollRun): Promise<void> {
  const records = recordsBySlice(scan);
  const known = [...scan.slices].filter((slice) => run.heads.get(slice)?.baselinedAt != null);
  await regrowCrowdedSlices(known, run, (slice) => records.get(slice)?.length ?? 0);
}

/** A scan of which it is known what to make of it as a whole. */
interface SurveyedScan {
  readonly scan: Scan;
  readonly form: FormCheck;
  readonly survey: Survey;
}

/** False when another poll committed first. */
async function compareSurveyed({ scan, form, survey }: SurveyedScan, run: PollRun): Promise<boolean> {
  const { heads, state, connection, startedAt } = run;
  const { vanishing } = connection;
  const at = scan.startedAt ?? startedAt;
  const massChanges = guardLosses(survey.losses, { heads, vanishing, state, at });
  const deletionGuard = checkMassDeletion(survey, run);
  const answers = await confirmRemovals(deletionGuard.toConfirm, run);
  const progress = new ProgressRecorder({ scan, survey, deletionGuard, massChanges }, run);
  for (const [index, part] of survey.parts.entries()) {
    if (index > 0 && !hasTimeToCommit(run)) {
      run.tally.reasons.add(
        'there was more to commit than there was time for; the next poll goes on with it',
      );
      return true;
    }
    const isLast = index === survey.parts.length - 1;
    const compared = await comparePart(
      { scan, form, survey, part, answers, massChanges, isLast, progress },
      run,
    );
    if (compared === null) return false;
    progress.add(compared);
    if (!compared.committed) return false;
  }
  progress.conclude();
  await regrowCrowdedSlices([...scan.slices, DISTANT_SLICE], run);
  return true;
}

interface Part extends SurveyedScan {
  readonly part: readonly DifferingLeaf[];
  readonly answers: ReadonlyMap<string, RemovalCheck>;
  readonly massChanges: readonly MassChange[];
  readonly progress: ProgressRecorder;
  /** Nothing of the scan is left to compare after it. */
  readonly isLast: boolean;
}

async function comparePart(work: Part, run: PollRun): Promise<ComparedPart | null> {
  const { scan, answers } = work;
  const known = await readKnownLeaves(work, run);
  if (known === null) return null;
  const classified = classifyPart(work, known, run);
  const snapshot = await readAnsweredLeaves(classified, { answers, snapshot: known }, run);
  if (snapshot === null) return null;
  const { coverage } = run.state;
  const { timeZone } = run.connection;
  const comparison = detectChanges({ scan, snapshot, classified, answers, coverage, timeZone });
  const manifests = await countClosed(comparison.changes, run);
  const told = comparison.changes.map((change) => toEvents(change, { ...run.eventContext, manifests }));
  const committed = await commit(work, { snapshot, comparison, told }, run);
  return { classified, answers, comparison, told, committed };
}

/** The leaves of a part, and those where its newcomers stood before. */
async function readKnownLeaves({ survey, part }: Part, run: PollRun): Promise<Snapshot | null> {
  if (survey.kept !== null) return { heads: run.heads, leaves: survey.kept };
  const refs = new Map(part.map(({ ref }) => [toLeafKey(ref), ref]));
  for (const { records } of part) {
    for (const { id } of records) for (const ref of survey.locations.of(id)) refs.set(toLeafKey(ref), ref);
  }
  return await readMissingLeaves({ heads: run.heads, leaves: new Map() }, [...refs.values()], run);
}

function classifyPart(
  { scan, form, survey, part, massChanges }: Part,
  snapshot: Snapshot,
  run: PollRun,
): ClassifiedRecords {
  const records = part.flatMap((leaf) => leaf.records);
  const own = new Set(records.map(({ id }) => id));
  const isInOtherPart = (id: string) => survey.strangers.has(id) && !own.has(id);
  const classified = classifyRecords(scan, snapshot, { records, invalid: form.invalid, isInOtherPart });
  const rows = indexKnownRows(snapshot);
  return withholdLosses(classified, {
    known: ({ id, slice }) => findRow(rows, id, slice),
    held: massChanges.filter(({ isConfirmed }) => !isConfirmed),
    definition: run.definition,
  });
}

/** A record that was found on another date goes into a leaf there. */
async function readAnsweredLeaves(
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
async function readMissingLeaves(
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

interface PartChanges {
  readonly snapshot: Snapshot;
  readonly comparison: Comparison;
  readonly told: readonly ChangeEvents[];
}

async function commit(
  work: Part,
  { snapshot, comparison, told }: PartChanges,
  run: PollRun,
): Promise<boolean> {
  const plan = planCommit({
    feed: run.feed,
    definition: run.definition,
    snapshot,
    told,
    observed: findSlicesSeenWhole(work, comparison),
    runId: run.id,
    now: assignCommitTime(run),
    retentionMs: run.retentionMs,
  });
  return await commitSteps(plan.steps, run);
}

/** Slices that are as they were seen once the last part is committed. */
function findSlicesSeenWhole({ scan, isLast, progress }: Part, { unseen }: Comparison): Map<string, number> {
  const { startedAt } = scan;
  if (!isComplete(scan) || startedAt === null || !isLast) return new Map();
  const whole = [...scan.slices].filter((slice) => !unseen.has(slice) && !progress.unseen.has(slice));
  return new Map(whole.map((slice) => [slice, startedAt]));
}
