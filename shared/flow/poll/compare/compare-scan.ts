import { needsBaseline } from '#shared/core/commit/generation.ts';
import { collectOutboxEntries } from '#shared/core/commit/outbox.ts';
import type { Change, Comparison, RemovalCheck } from '#shared/core/compare/change.ts';
import {
  type ClassifiedRecords,
  classifyRecords,
  findRow,
  indexKnownRows,
} from '#shared/core/compare/classify-records.ts';
import { detectChanges } from '#shared/core/compare/detect-changes.ts';
import type { DifferingLeaf, Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { findLatestRow } from '#shared/core/compare/loss-count.ts';
import {
  countUnseen,
  guardLosses,
  type MassChange,
  withholdLosses,
} from '#shared/core/compare/mass-change.ts';
import { type GuardedAbsences, guardAbsences } from '#shared/core/compare/mass-deletion-guard.ts';
import { checkForm, type FormCheck, markIncomplete } from '#shared/core/compare/source-form.ts';
import { type Absent, selectDueChecks } from '#shared/core/compare/unlisted.ts';
import { SourceError } from '#shared/core/errors.ts';
import { toEvents } from '#shared/core/events/events.ts';
import { idOf } from '#shared/core/fetch/pages.ts';
import { findPlace, isComplete, type Scan } from '#shared/core/fetch/scan.ts';
import type { FetchedScan } from '#shared/core/outcome/judge-walk.ts';
import {
  addComparison,
  addDiscarded,
  addDroppedCommit,
  addLookUps,
  addScan,
  addSuperseded,
} from '#shared/core/outcome/poll-findings.ts';
import {
  type ComparisonEnd,
  mergeUnseen,
  type PortionFindings,
  summarizeComparison,
  summarizePortion,
  summarizeScan,
} from '#shared/core/outcome/summarize-scan.ts';
import { checkRow, readRow, readStoredDate, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { isRecord } from '#shared/core/records/fields.ts';
import { DISTANT_SLICE, findSliceForDate } from '#shared/core/snapshot/distant-slice.ts';
import { type SliceHead, toLeafKey } from '#shared/core/snapshot/snapshot.ts';
import type { Lookup } from '#shared/flow/poll/ports.ts';
import { holdClosings } from '#shared/period/flow/hold-closings.ts';
import { seePeriods } from '#shared/period/flow/read-account.ts';
import { planStatements } from '#shared/period/flow/send-statements.ts';
import { publishOthersEvents } from '../commit-and-publish.ts';
import { commitChanges } from '../commit-changes.ts';
import { reloadHeads } from '../load-state.ts';
import type { PollRun } from '../poll-run.ts';
import { prepareSlices, regrowCrowdedSlices } from './prepare-slices.ts';
import { type Survey, surveyScan } from './survey-scan.ts';

/** A scan that others supersede this often is left to the next poll. */
const MAX_COMPARISONS = 3;
const DISCARDED = 'another poll committed first; the next one scans again';

interface ScanToFinish extends FetchedScan {
  /** Its slices are fetched again in this poll, so that it need not be complete. */
  readonly isRefetched: boolean;
}

/**
 * Compares a scan and commits what it brought. When another poll commits first, only what that one touched is
 * discarded: the other slices are compared again with what is known now, and the source need not be asked again.
 * Returns the slices of which the scan may be older than what was committed since the source was asked (rule 1).
 */
export async function finishScan(
  { scan: fetched, asOf, isRefetched }: ScanToFinish,
  run: PollRun,
): Promise<readonly string[]> {
  const { heads, findings } = run.memory;
  // By another poll, or by a walk of this one that ran beside.
  const superseded = findChangedSlices(asOf, heads.all);
  let scan = withoutSlices(fetched, superseded);
  const form = checkForm(scan, heads.all);
  addScan(findings, summarizeScan({ scan, isRefetched, known: run.state }, form, run.feed.feed));
  for (let comparisons = 0; scan.slices.size > 0; comparisons += 1) {
    const isLast = comparisons >= MAX_COMPARISONS;
    const stale = await compareScan({ scan, form, superseded, isLast }, run);
    if (stale === null) break;
    scan = withoutSlices(scan, stale);
  }
  return [...fetched.slices].filter((slice) => !scan.slices.has(slice));
}

interface Attempt {
  readonly scan: Scan;
  readonly form: FormCheck;
  /** Slices that were committed since the source was asked; those that others commit meanwhile are added. */
  readonly superseded: Set<string>;
  /** After this one the scan is left to the next poll. */
  readonly isLast: boolean;
}

/**
 * One comparison of a scan, from what was seen to what is committed: which leaves differ, who is new or missing, what
 * changed, which events follow, and how they become transactions. A large scan is compared and committed portion by portion;
 * what there is no time for is found again by the next poll. Null when the scan is done with: committed, or left to the
 * next poll. Else the slices without which it is compared again.
 */
async function compareScan(
  { scan: seen, form, superseded, isLast }: Attempt,
  run: PollRun,
): Promise<ReadonlySet<string> | null> {
  const { heads, findings } = run.memory;
  const isPrepared = await prepareSlices(seen, form, run);
  // While the form of the source has changed, no scan shows an absence.
  const scan = form.change === null ? seen : markIncomplete(seen);
  const survey = isPrepared ? await surveyScan(scan, form, run) : null;
  if (survey !== null) {
    const overtaken = findOvertakenSlices(survey, scan, superseded);
    if (overtaken.size > 0) return overtaken;
    const guards = await guardScan(scan, survey, run);
    const { portions, end } = await comparePortions({ scan, form, survey, guards }, run);
    const guarded = { scan, at: scan.startedAt ?? run.startedAt, ...guards };
    addComparison(findings, summarizeComparison(guarded, portions, end));
    if (end === 'whole') await regrowCrowdedSlices([...scan.slices, DISTANT_SLICE], run);
    if (end !== 'conflict') return null;
  }
  addDroppedCommit(findings);
  const changed = await catchUp(run);
  if (changed.size === 0 || isLast) {
    addDiscarded(findings, { slices: seen.slices, reason: DISCARDED });
    return null;
  }
  for (const slice of changed) superseded.add(slice);
  // Of a slice without a baseline it is uncertain now which of its records other slices know.
  const isStale = (slice: string) => superseded.has(slice) || needsBaseline(heads.get(slice));
  return new Set([...seen.slices].filter(isStale));
}

type Heads = ReadonlyMap<string, SliceHead>;

/** Slices that were committed between two moments, by this poll or by another one. */
function findChangedSlices(before: Heads, now: Heads): Set<string> {
  return new Set([...now.keys()].filter((slice) => before.get(slice)?.revision !== now.get(slice)?.revision));
}

/** A scan without some of its slices: what was seen there may be older than what is known (rule 1). */
function withoutSlices(scan: Scan, dropped: ReadonlySet<string>): Scan {
  if (dropped.size === 0) return scan;
  const records = [...scan.records].filter(([, { slice }]) => !dropped.has(slice));
  const slices = new Set([...scan.slices].filter((slice) => !dropped.has(slice)));
  return { ...scan, slices, records: new Map(records) };
}

/** Loads the heads again, and returns the slices that others committed. Their events go out before our own. */
async function catchUp(run: PollRun): Promise<ReadonlySet<string>> {
  const { heads, findings } = run.memory;
  const before = new Map(heads.all);
  await reloadHeads(run);
  await publishOthersEvents(collectOutboxEntries(before.values()), run);
  const changed = findChangedSlices(before, heads.all);
  addSuperseded(findings, changed);
  return changed;
}

/**
 * Slices with a new record that others committed to another slice since the source was asked: which was later cannot
 * be known.
 */
function findOvertakenSlices(
  { unknownIds, locations }: Survey,
  scan: Scan,
  superseded: ReadonlySet<string>,
): ReadonlySet<string> {
  const overtaken = [...unknownIds].filter((id) =>
    locations.of(id).some(({ slice }) => superseded.has(slice)),
  );
  return new Set(overtaken.flatMap((id) => scan.records.get(id)?.slice ?? []));
}

/** Compares and commits portion by portion, as long as there is time and no other poll commits. */
async function comparePortions(
  surveyed: Omit<Portion, 'portion' | 'before' | 'isLast'>,
  run: PollRun,
): Promise<{ readonly portions: readonly PortionFindings[]; readonly end: ComparisonEnd }> {
  const portions: PortionFindings[] = [];
  for (const [index, portion] of surveyed.survey.portions.entries()) {
    if (index > 0 && run.ports.clock.now() >= run.commitUntil) return { portions, end: 'out_of_time' };
    const isLast = index === surveyed.survey.portions.length - 1;
    const compared = await comparePortion({ ...surveyed, portion, before: portions, isLast }, run);
    if (compared !== null) portions.push(compared);
    if (compared?.committed !== true) return { portions, end: 'conflict' };
  }
  return { portions, end: 'whole' };
}

interface Portion {
  readonly scan: Scan;
  readonly form: FormCheck;
  readonly survey: Survey;
  readonly portion: readonly DifferingLeaf[];
  readonly guards: ScanGuards;
  /** Parts of the scan that were compared before it. */
  readonly before: readonly PortionFindings[];
  /** Nothing of the scan is left to compare after it. */
  readonly isLast: boolean;
}

/** Null when another poll committed before it was compared. */
async function comparePortion(work: Portion, run: PollRun): Promise<PortionFindings | null> {
  const { scan } = work;
  const { answers, massChanges } = work.guards;
  const known = await readKnownLeaves(work, run);
  if (known === null) return null;
  const found = classifyPortion(work, known, run);
  const periods = seePeriods(scan.payPeriods, answers, run);
  const { classified, held } = await holdClosings(
    { classified: found, snapshot: known, answers, periods },
    run,
  );
  const snapshot = await run.leaves.readAnswered(classified, { answers, snapshot: known });
  if (snapshot === null) return null;
  const { coverage } = run.state;
  const { timeZone } = run.connection;
  const comparison = detectChanges({ scan, snapshot, classified, answers, coverage, timeZone });
  await run.memory.periods.learnCalendars(datesOf(comparison.changes));
  const planned = await planStatements(comparison.changes, periods, run);
  const changeEvents = comparison.changes.map((change) =>
    toEvents(change, { ...run.eventContext, ...planned }),
  );
  const observed = findSlicesSeenWhole(work, comparison);
  const losses = { at: scan.startedAt ?? run.startedAt, massChanges };
  const { outcome, misfits } = await commitChanges({ snapshot, changeEvents, observed, losses }, run);
  const committed = outcome === 'committed';
  const compared = { classified, answers, comparison, changeEvents, misfits, heldClosings: held, committed };
  return summarizePortion(compared, scan.startedAt ?? run.startedAt);
}

/** The dates of timesheets before and after their changes. */
function* datesOf(changes: readonly Change[]): Generator<string, void> {
  for (const { before, after } of changes) {
    if (before !== null) yield readStoredDate(before.row.state);
    if (after !== null) yield readStoredDate(after.row);
  }
}

/** The leaves of a portion, and those of other slices that know its unknown records. */
async function readKnownLeaves({ survey, portion }: Portion, run: PollRun): Promise<Snapshot | null> {
  if (survey.kept !== null) return { heads: run.memory.heads.all, leaves: survey.kept };
  const refs = new Map(portion.map(({ ref }) => [toLeafKey(ref), ref]));
  for (const { records } of portion) {
    for (const { id } of records) for (const ref of survey.locations.of(id)) refs.set(toLeafKey(ref), ref);
  }
  return await run.leaves.readMissing(run.leaves.toSnapshot([]), [...refs.values()]);
}

function classifyPortion(
  { scan, form, survey, portion, guards }: Portion,
  snapshot: Snapshot,
  run: PollRun,
): ClassifiedRecords {
  const records = portion.flatMap((leaf) => leaf.records);
  const own = new Set(records.map(({ id }) => id));
  const isInOtherPortion = (id: string) => survey.unknownIds.has(id) && !own.has(id);
  const classified = classifyRecords(scan, snapshot, { records, invalid: form.invalid, isInOtherPortion });
  const rows = indexKnownRows(snapshot);
  return withholdLosses(classified, {
    known: ({ id, slice }) => findRow(rows, id, slice) ?? findLatestRow(rows.get(id) ?? []),
    answers: guards.answers,
    held: guards.massChanges.filter(({ isConfirmed }) => !isConfirmed),
    definition: run.definition,
  });
}

/** Slices that are as they were seen once the last portion is committed. */
function findSlicesSeenWhole({ scan, isLast, before }: Portion, { unseen }: Comparison): Map<string, number> {
  const { startedAt } = scan;
  if (!isComplete(scan) || startedAt === null || !isLast) return new Map();
  const unseenBefore = mergeUnseen(before);
  const whole = [...scan.slices].filter((slice) => !unseen.has(slice) && !unseenBefore.has(slice));
  return new Map(whole.map((slice) => [slice, startedAt]));
}

/** What of a scan is too much at once, and what became of its absent records. */
interface ScanGuards {
  readonly deletionGuard: GuardedAbsences;
  readonly answers: ReadonlyMap<string, RemovalCheck>;
  readonly massChanges: readonly MassChange[];
}

/** Looks absent records up, as far as they are believed to be gone, and counts what records lost (rule 6). */
async function guardScan(scan: Scan, survey: Survey, run: PollRun): Promise<ScanGuards> {
  const { state, guards, memory } = run;
  const heads = memory.heads.all;
  const { vanishing } = guards;
  const { shrunk } = state;
  const now = run.ports.clock.now();
  const deletionGuard = guardAbsences(survey.absent, heads, { vanishing, shrunk, now });
  const answers = await confirmRemovals(selectDueChecks(deletionGuard.toConfirm, now), run);
  const { losses, unknownIds } = survey;
  const massChanges = guardLosses(losses.sum(unknownIds, answers), {
    heads,
    places: losses.places(unknownIds, answers),
    vanishing,
    held: state.massChange,
    countUnseen: (slice, lost) => countUnseen({ slice, lost }, { scan, heads, answers, ...survey }),
    slices: scan.slices,
    at: scan.startedAt ?? run.startedAt,
  });
  return { deletionGuard, answers, massChanges };
}

/** Look-ups in one poll: the next one goes on with the rest. */
const MAX_LOOK_UPS = 200;
/** Failures in a row after which this poll looks up no more records. */
const MAX_FAILURES_IN_A_ROW = 3;

/**
 * Looks absent records up one by one: only a 404 proves that one is gone (rule 6). Those that the list leaves out
 * although they are there are looked up less and less often. A record that the source forbids or fails on is unknown
 * for itself alone; a rejected credential, throttling and a source that does not answer end the look-ups.
 */
async function confirmRemovals(
  due: readonly Absent[],
  run: PollRun,
): Promise<ReadonlyMap<string, RemovalCheck>> {
  const { lookUps: before, credentialRejected } = run.memory.findings;
  const answers = new Map<string, RemovalCheck>();
  const reasons: string[] = [];
  let [lookUps, failures] = [0, 0];
  let stoppedBy: SourceError | null = null;
  const checks = credentialRejected ? [] : due;
  for (const { row } of checks.slice(0, Math.max(0, MAX_LOOK_UPS - before))) {
    if (failures >= MAX_FAILURES_IN_A_ROW || !run.hasTimeLeft()) break;
    lookUps += 1;
    const answer = await lookUpRecord(row.id, run);
    if (!(answer instanceof SourceError)) {
      failures = 0;
      answers.set(row.id, answer);
      continue;
    }
    reasons.push(...describeFailure(answer, row));
    if (stopsLookUps(answer)) {
      stoppedBy = answer;
      break;
    }
    failures = answer.code === 'source_failed' ? failures + 1 : 0;
    answers.set(row.id, { outcome: 'unknown', askedAt: run.ports.clock.now() });
  }
  addLookUps(run.memory.findings, { lookUps, reasons, error: stoppedBy });
  return answers;
}

async function lookUpRecord(id: string, run: PollRun): Promise<RemovalCheck | SourceError> {
  try {
    return toAnswer(await run.ports.source.lookUp(run.feed.feed, id), { id, run });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return error;
  }
}

function stopsLookUps({ code }: SourceError): boolean {
  return code === 'source_unauthorised' || code === 'source_unreachable' || code === 'source_throttled';
}

/** What fails for one record alone is reported when it is looked up for the first time. */
function describeFailure(error: SourceError, { unlisted }: Absent['row']): readonly string[] {
  if (stopsLookUps(error)) return [error.message];
  return unlisted === undefined ? [`some absent records could not be asked for by id (${error.code})`] : [];
}

function toAnswer(lookup: Lookup, { id, run }: { readonly id: string; readonly run: PollRun }): RemovalCheck {
  const { requestedAt, receivedAt } = lookup;
  if (lookup.outcome === 'gone') return { outcome: 'gone', requestedAt, receivedAt };
  const { record } = lookup;
  const unknown: RemovalCheck = { outcome: 'unknown', askedAt: requestedAt };
  if (!isRecord(record) || idOf(record) !== id) return unknown;
  const place = findPlace(run.definition, record);
  const row = readRow(run.definition, record, { absences: run.absences, at: requestedAt });
  if ('issue' in place || checkRow(run.definition, row).outcome === 'bad') return unknown;
  return { outcome: 'found', record: { id, slice: sliceOf(place.slice, run), row, requestedAt, receivedAt } };
}

function sliceOf(date: string, { window, memory }: PollRun): string {
  return date === WHOLE_LIST ? date : findSliceForDate(date, { window, heads: memory.heads.all });
}
