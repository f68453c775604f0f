import { planCommit } from '#shared/core/commit/commit-plan.ts';
import {
  knownRows,
  type OpenQuestions,
  openQuestions,
  rowIn,
} from '#shared/core/compare/classify-records.ts';
import { type Answer, type Comparison, compare } from '#shared/core/compare/compare.ts';
import type { Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { guardLosses, holdBack, type MassChange } from '#shared/core/compare/mass-change.ts';
import type { DifferingLeaf } from '#shared/core/compare/scan-parts.ts';
import { asIncomplete, type FormCheck } from '#shared/core/compare/source-form.ts';
import { type ToldChange, tell } from '#shared/core/events/events.ts';
import { isComplete, recordsBySlice, type Scan } from '#shared/core/fetch/scan.ts';
import { AFAR } from '#shared/core/snapshot/distant-slice.ts';
import { type Leaf, type LeafRef, leafKey, leafRefOf } from '#shared/core/snapshot/snapshot.ts';
import { commitSteps } from '../publish/commit-steps.ts';
import { dateCommit, hasTimeToCommit, type Run } from '../run.ts';
import { adoptNewSlices, regrowCrowdedSlices } from './baseline-slices.ts';
import { confirmRemovals } from './confirm-removals.ts';
import { countClosed } from './count-closed.ts';
import { readLeaves } from './read-leaves.ts';
import { type ComparedPart, LookNotes } from './record-progress.ts';
import { bringHome } from './return-distant-records.ts';
import { doubtOf, type Survey, surveyScan } from './survey-scan.ts';

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
export async function compareScan({ scan, form, moved }: ScanToCompare, run: Run): Promise<ScanOutcome> {
  const readable = form.change === null ? scan : asIncomplete(scan);
  if (!(await bringHome(scan, run))) return CONFLICT;
  await growAhead(scan, run);
  if (!(await adoptNewSlices(scan, form, run))) return CONFLICT;
  const survey = await surveyScan(readable, form, run);
  if (survey === null) return CONFLICT;
  const slices = overtakenSlices(survey, { scan, moved });
  if (slices.size > 0) return { outcome: 'overtaken', slices };
  return (await compareSurveyed({ scan: readable, form, survey }, run)) ? { outcome: 'done' } : CONFLICT;
}

/** Slices with a newcomer that others put somewhere else since the source was asked. */
function overtakenSlices(
  { strangers, places }: Survey,
  { scan, moved }: Pick<ScanToCompare, 'scan' | 'moved'>,
): Set<string> {
  if (moved.size === 0) return new Set();
  const doubtful = [...strangers].filter((id) => places.of(id).some(({ slice }) => moved.has(slice)));
  return new Set(doubtful.flatMap((id) => scan.records.get(id)?.slice ?? []));
}

/** A slice that is about to get more records than its leaves should hold gets more of them first. */
async function growAhead(scan: Scan, run: Run): Promise<void> {
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
async function compareSurveyed({ scan, form, survey }: SurveyedScan, run: Run): Promise<boolean> {
  const { heads, state, connection, startedAt } = run;
  const { vanishing } = connection;
  const at = scan.startedAt ?? startedAt;
  const massChanges = guardLosses(survey.losses, { heads, vanishing, state, at });
  const doubt = doubtOf(survey, run);
  const answers = await confirmRemovals(doubt.askable, run);
  const notes = new LookNotes({ scan, survey, doubt, massChanges }, run);
  for (const [index, part] of survey.parts.entries()) {
    if (index > 0 && !hasTimeToCommit(run)) {
      run.tally.reasons.add(
        'there was more to commit than there was time for; the next poll goes on with it',
      );
      return true;
    }
    const isLast = index === survey.parts.length - 1;
    const compared = await comparePart(
      { scan, form, survey, part, answers, massChanges, isLast, notes },
      run,
    );
    if (compared === null) return false;
    notes.add(compared);
    if (!compared.committed) return false;
  }
  notes.conclude();
  await regrowCrowdedSlices([...scan.slices, AFAR], run);
  return true;
}

interface Part extends SurveyedScan {
  readonly part: readonly DifferingLeaf[];
  readonly answers: ReadonlyMap<string, Answer>;
  readonly massChanges: readonly MassChange[];
  readonly notes: LookNotes;
  /** Nothing of the scan is left to compare after it. */
  readonly isLast: boolean;
}

async function comparePart(work: Part, run: Run): Promise<ComparedPart | null> {
  const { scan, answers } = work;
  const known = await readKnown(work, run);
  if (known === null) return null;
  const questions = questionsOf(work, known, run);
  const snapshot = await readAnswered(questions, { answers, snapshot: known }, run);
  if (snapshot === null) return null;
  const { coverage } = run.state;
  const { timeZone } = run.connection;
  const comparison = compare({ scan, snapshot, questions, answers, coverage, timeZone });
  const manifests = await countClosed(comparison.changes, run);
  const told = comparison.changes.map((change) => tell(change, { ...run.eventContext, manifests }));
  const committed = await commit(work, { snapshot, comparison, told }, run);
  return { questions, answers, comparison, told, committed };
}

/** The leaves of a part, and those where its newcomers stood before. */
async function readKnown({ survey, part }: Part, run: Run): Promise<Snapshot | null> {
  if (survey.kept !== null) return { heads: run.heads, leaves: survey.kept };
  const refs = new Map(part.map(({ ref }) => [leafKey(ref), ref]));
  for (const { records } of part) {
    for (const { id } of records) for (const ref of survey.places.of(id)) refs.set(leafKey(ref), ref);
  }
  return await readInto({ heads: run.heads, leaves: new Map() }, [...refs.values()], run);
}

function questionsOf(
  { scan, form, survey, part, massChanges }: Part,
  snapshot: Snapshot,
  run: Run,
): OpenQuestions {
  const records = part.flatMap((leaf) => leaf.records);
  const own = new Set(records.map(({ id }) => id));
  const isLeftToOthers = (id: string) => survey.strangers.has(id) && !own.has(id);
  const questions = openQuestions(scan, snapshot, { records, invalid: form.invalid, isLeftToOthers });
  const rows = knownRows(snapshot);
  return holdBack(questions, {
    known: ({ id, slice }) => rowIn(rows, id, slice),
    held: massChanges.filter(({ isConfirmed }) => !isConfirmed),
    definition: run.definition,
  });
}

/** A record that was found on another date goes into a leaf there. */
async function readAnswered(
  { absent }: OpenQuestions,
  { answers, snapshot }: { readonly answers: ReadonlyMap<string, Answer>; readonly snapshot: Snapshot },
  run: Run,
): Promise<Snapshot | null> {
  const refs: LeafRef[] = [];
  for (const { row } of absent) {
    const answer = answers.get(row.id);
    const head = answer?.outcome === 'found' ? run.heads.get(answer.record.slice) : undefined;
    if (head !== undefined) refs.push(leafRefOf(head, row.id));
  }
  return await readInto(snapshot, refs, run);
}

/** Reads the leaves that are not there yet; null when one does not match its head (rule 1). */
async function readInto(snapshot: Snapshot, refs: readonly LeafRef[], run: Run): Promise<Snapshot | null> {
  const missing = refs.filter((ref) => !snapshot.leaves.has(leafKey(ref)));
  const read = await readLeaves(missing, run);
  if (read === null) return null;
  const leaves = new Map<string, Leaf>(snapshot.leaves);
  for (const leaf of read) leaves.set(leafKey(leaf), leaf);
  return { heads: snapshot.heads, leaves };
}

interface Found {
  readonly snapshot: Snapshot;
  readonly comparison: Comparison;
  readonly told: readonly ToldChange[];
}

async function commit(work: Part, { snapshot, comparison, told }: Found, run: Run): Promise<boolean> {
  const plan = planCommit({
    feed: run.feed,
    definition: run.definition,
    snapshot,
    told,
    observed: observedWhole(work, comparison),
    runId: run.id,
    now: dateCommit(run),
    retentionMs: run.retentionMs,
  });
  return await commitSteps(plan.steps, run);
}

/** Slices that are as they were seen once the last part is committed. */
function observedWhole({ scan, isLast, notes }: Part, { unseen }: Comparison): Map<string, number> {
  const { startedAt } = scan;
  if (!isComplete(scan) || startedAt === null || !isLast) return new Map();
  const whole = [...scan.slices].filter((slice) => !unseen.has(slice) && !notes.unseen.has(slice));
  return new Map(whole.map((slice) => [slice, startedAt]));
}
