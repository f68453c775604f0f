import { planCommit } from '#shared/core/commit/commit-plan.ts';
import type { Comparison } from '#shared/core/compare/change.ts';
import {
  type ClassifiedRecords,
  classifyRecords,
  findRow,
  indexKnownRows,
} from '#shared/core/compare/classify-records.ts';
import { detectChanges } from '#shared/core/compare/detect-changes.ts';
import type { Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { findLatestRow } from '#shared/core/compare/loss-count.ts';
import { withholdLosses } from '#shared/core/compare/mass-change.ts';
import type { DifferingLeaf } from '#shared/core/compare/scan-parts.ts';
import { type FormCheck, markIncomplete } from '#shared/core/compare/source-form.ts';
import { type ChangeEvents, toEvents } from '#shared/core/events/events.ts';
import { isComplete, recordsBySlice, type Scan } from '#shared/core/fetch/scan.ts';
import type { PollProgress } from '#shared/core/outcome/poll-progress.ts';
import { COMMIT_DROPPED, type StageOutcome } from '#shared/core/outcome/stage-outcome.ts';
import {
  type ComparedPart,
  type ComparisonEnd,
  mergeUnseen,
  summarizeComparison,
} from '#shared/core/outcome/summarize-comparison.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import { toLeafKey } from '#shared/core/snapshot/snapshot.ts';
import { learnCalendars } from '../membership/learn-calendars.ts';
import { assignCommitTime, hasTimeToCommit, type PollRun } from '../poll-run.ts';
import { type CommittedSteps, commitSteps } from '../publish/commit-steps.ts';
import { baselineNewSlices, regrowCrowdedSlices } from './baseline-slices.ts';
import { guardScan, type ScanGuards } from './guard-scan.ts';
import { holdClosings, listSeenPeriods } from './hold-closings.ts';
import { planStatements } from './plan-statements.ts';
import { readAnsweredLeaves, readMissingLeaves } from './read-part-leaves.ts';
import { returnDistantRecords } from './return-distant-records.ts';
import { type Survey, surveyScan } from './survey-scan.ts';

export interface ScanToCompare {
  readonly scan: Scan;
  readonly form: FormCheck;
  /** Slices that were committed since the source was asked. */
  readonly superseded: ReadonlySet<string>;
  readonly progress: PollProgress;
}

/** How the comparison of a scan went, and what its stages gave. */
export type ComparedScan = { readonly outcomes: readonly StageOutcome[] } & (
  | {
      /** `done`: what it brought is committed, as far as there was time. `conflict`: another poll committed first. */
      readonly result: 'done' | 'conflict';
    }
  /** These slices hold records that others saw on another slice meanwhile: which was later cannot be known. */
  | { readonly result: 'overtaken'; readonly slices: ReadonlySet<string> }
);

/**
 * One scan, from what was seen to what is committed: which leaves differ, who is new or missing, what changed, which
 * events follow, and how they become transactions. A large scan is compared and committed part by part; what there is
 * no time for is found again by the next poll.
 */
export async function compareScan(toCompare: ScanToCompare, run: PollRun): Promise<ComparedScan> {
  const { scan, form, superseded, progress } = toCompare;
  const readable = form.change === null ? scan : markIncomplete(scan);
  if (!(await returnDistantRecords(scan, run))) return conflict([]);
  const grown = await growAhead(scan, run);
  if (!(await baselineNewSlices(scan, form, run))) return conflict(grown);
  const survey = await surveyScan(readable, form, run);
  if (survey === null) return conflict(grown);
  const slices = findOvertakenSlices(survey, { scan, superseded });
  if (slices.size > 0) return { result: 'overtaken', slices, outcomes: grown };
  const compared = await compareSurveyed({ scan: readable, form, survey, progress }, run);
  return { ...compared, outcomes: [...grown, ...compared.outcomes] };
}

function conflict(outcomes: readonly StageOutcome[]): ComparedScan {
  return { result: 'conflict', outcomes: [...outcomes, COMMIT_DROPPED] };
}

/** Slices with a new record that others committed to another slice since the source was asked. */
function findOvertakenSlices(
  { strangers, locations }: Survey,
  { scan, superseded }: Pick<ScanToCompare, 'scan' | 'superseded'>,
): Set<string> {
  if (superseded.size === 0) return new Set();
  const overtaken = [...strangers].filter((id) =>
    locations.of(id).some(({ slice }) => superseded.has(slice)),
  );
  return new Set(overtaken.flatMap((id) => scan.records.get(id)?.slice ?? []));
}

/** A slice that is about to get more records than its leaves should hold gets more of them first. */
async function growAhead(scan: Scan, run: PollRun): Promise<readonly StageOutcome[]> {
  const records = recordsBySlice(scan);
  const known = [...scan.slices].filter((slice) => run.heads.get(slice)?.baselinedAt != null);
  return await regrowCrowdedSlices(known, run, (slice) => records.get(slice)?.length ?? 0);
}

/** A scan that was surveyed as a whole. */
interface SurveyedScan {
  readonly scan: Scan;
  readonly form: FormCheck;
  readonly survey: Survey;
}

async function compareSurveyed(
  { progress, ...surveyed }: SurveyedScan & { readonly progress: PollProgress },
  run: PollRun,
): Promise<ComparedScan> {
  const { scan, survey } = surveyed;
  const { outcome, ...guards } = await guardScan({ scan, survey, progress }, run);
  const { parts, published, end } = await compareParts({ ...surveyed, guards }, run);
  const guarded = { scan, at: scan.startedAt ?? run.startedAt, ...guards };
  const outcomes = [outcome, ...published, summarizeComparison(guarded, parts, end)];
  if (end === 'conflict') return conflict(outcomes);
  const grown = end === 'whole' ? await regrowCrowdedSlices([...scan.slices, DISTANT_SLICE], run) : [];
  return { result: 'done', outcomes: [...outcomes, ...grown] };
}

interface ComparedParts {
  readonly parts: readonly ComparedPart[];
  readonly published: readonly StageOutcome[];
  readonly end: ComparisonEnd;
}

/** Compares and commits part by part, as long as there is time and no other poll commits. */
async function compareParts(
  surveyed: Omit<Part, 'part' | 'before' | 'isLast'>,
  run: PollRun,
): Promise<ComparedParts> {
  const parts: ComparedPart[] = [];
  const published: StageOutcome[] = [];
  for (const [index, part] of surveyed.survey.parts.entries()) {
    if (index > 0 && !hasTimeToCommit(run)) return { parts, published, end: 'out_of_time' };
    const isLast = index === surveyed.survey.parts.length - 1;
    const compared = await comparePart({ ...surveyed, part, before: parts, isLast }, run);
    if (compared === null) return { parts, published, end: 'conflict' };
    parts.push(compared.part);
    published.push(...compared.published);
    if (!compared.part.committed) return { parts, published, end: 'conflict' };
  }
  return { parts, published, end: 'whole' };
}

interface Part extends SurveyedScan {
  readonly part: readonly DifferingLeaf[];
  readonly guards: ScanGuards;
  /** Parts of the scan that were compared before it. */
  readonly before: readonly ComparedPart[];
  /** Nothing of the scan is left to compare after it. */
  readonly isLast: boolean;
}

async function comparePart(
  work: Part,
  run: PollRun,
): Promise<{ readonly part: ComparedPart; readonly published: readonly StageOutcome[] } | null> {
  const { scan } = work;
  const { answers } = work.guards;
  const known = await readKnownLeaves(work, run);
  if (known === null) return null;
  const seen = listSeenPeriods(scan.payPeriods, answers, run);
  const { classified, held } = await holdClosings(
    { classified: classifyPart(work, known, run), snapshot: known, answers, seen },
    run,
  );
  const snapshot = await readAnsweredLeaves(classified, { answers, snapshot: known }, run);
  if (snapshot === null) return null;
  const { coverage } = run.state;
  const { timeZone } = run.connection;
  const comparison = detectChanges({ scan, snapshot, classified, answers, coverage, timeZone });
  await learnCalendars(comparison.changes, run);
  const planned = await planStatements(comparison.changes, run, seen);
  const changeEvents = comparison.changes.map((change) =>
    toEvents(change, { ...run.eventContext, ...planned }),
  );
  const { outcome, published } = await commit(work, { snapshot, comparison, changeEvents }, run);
  const committed = outcome === 'committed';
  return {
    part: { classified, answers, comparison, changeEvents, heldClosings: held, committed },
    published,
  };
}

/** The leaves of a part, and those of other slices that know its newcomers. */
async function readKnownLeaves({ survey, part }: Part, run: PollRun): Promise<Snapshot | null> {
  if (survey.kept !== null) return { heads: run.heads, leaves: survey.kept };
  const refs = new Map(part.map(({ ref }) => [toLeafKey(ref), ref]));
  for (const { records } of part) {
    for (const { id } of records) for (const ref of survey.locations.of(id)) refs.set(toLeafKey(ref), ref);
  }
  return await readMissingLeaves({ heads: run.heads, leaves: new Map() }, [...refs.values()], run);
}

function classifyPart(
  { scan, form, survey, part, guards }: Part,
  snapshot: Snapshot,
  run: PollRun,
): ClassifiedRecords {
  const records = part.flatMap((leaf) => leaf.records);
  const own = new Set(records.map(({ id }) => id));
  const isInOtherPart = (id: string) => survey.strangers.has(id) && !own.has(id);
  const classified = classifyRecords(scan, snapshot, { records, invalid: form.invalid, isInOtherPart });
  const rows = indexKnownRows(snapshot);
  return withholdLosses(classified, {
    known: ({ id, slice }) => findRow(rows, id, slice) ?? findLatestRow(rows.get(id) ?? []),
    answers: guards.answers,
    held: guards.massChanges.filter(({ isConfirmed }) => !isConfirmed),
    definition: run.definition,
  });
}

interface PartChanges {
  readonly snapshot: Snapshot;
  readonly comparison: Comparison;
  readonly changeEvents: readonly ChangeEvents[];
}

async function commit(
  work: Part,
  { snapshot, comparison, changeEvents }: PartChanges,
  run: PollRun,
): Promise<CommittedSteps> {
  const plan = planCommit({
    feed: run.feed,
    definition: run.definition,
    snapshot,
    changeEvents,
    observed: findSlicesSeenWhole(work, comparison),
    losses: { at: work.scan.startedAt ?? run.startedAt, massChanges: work.guards.massChanges },
    runId: run.id,
    now: assignCommitTime(run),
    retentionMs: run.retentionMs,
  });
  return await commitSteps(plan.steps, run);
}

/** Slices that are as they were seen once the last part is committed. */
function findSlicesSeenWhole({ scan, isLast, before }: Part, { unseen }: Comparison): Map<string, number> {
  const { startedAt } = scan;
  if (!isComplete(scan) || startedAt === null || !isLast) return new Map();
  const unseenBefore = mergeUnseen(before);
  const whole = [...scan.slices].filter((slice) => !unseen.has(slice) && !unseenBefore.has(slice));
  return new Map(whole.map((slice) => [slice, startedAt]));
}
