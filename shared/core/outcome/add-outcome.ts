import type { SourceError, SourceErrorCode } from '../errors.ts';
import type { ListingFailure } from '../plan/unreadable-dates.ts';
import { isStopped, NO_PROGRESS, type PollCounts, type PollProgress } from './poll-progress.ts';
import type {
  CompareOutcome,
  ConflictOutcome,
  DiagnosisOutcome,
  FetchOutcome,
  LookUpOutcome,
  PlanOutcome,
  PublishStageOutcome,
  RemindOutcome,
  ScanOutcome,
  StageOutcome,
} from './stage-outcome.ts';

/** Failures that count as several: a timeout is slow, and 403 usually applies to everything. */
const FAILURE_WEIGHTS: Partial<Record<SourceErrorCode, number>> = {
  source_unreachable: 3,
  source_forbidden: 2,
};

/** The progress of a poll after one more outcome. */
export function addOutcome(progress: PollProgress, outcome: StageOutcome): PollProgress {
  switch (outcome.stage) {
    case 'plan':
      return addPlan(progress, outcome);
    case 'fetch':
      return addFetch(progress, outcome);
    case 'diagnosis':
      return addDiagnosis(progress, outcome);
    case 'scan':
      return addScan(progress, outcome);
    case 'look_up':
      return addLookUps(progress, outcome);
    case 'compare':
      return addComparison(progress, outcome);
    case 'conflict':
      return addConflict(progress, outcome);
    case 'remind':
      return addReminded(progress, outcome);
    case 'renew':
      return { ...progress, renewed: outcome };
    case 'publish':
      return addPublished(progress, outcome);
  }
}

export function addOutcomes(progress: PollProgress, outcomes: Iterable<StageOutcome>): PollProgress {
  let sum = progress;
  for (const outcome of outcomes) sum = addOutcome(sum, outcome);
  return sum;
}

function addPlan(progress: PollProgress, outcome: PlanOutcome): PollProgress {
  if (outcome.outcome === 'pulled') return { ...progress, pulled: union(progress.pulled, outcome.slices) };
  const { remaining, turn } = outcome;
  return {
    ...progress,
    // Not retried individually: it goes first in the next poll.
    attempted: without(progress.attempted, remaining),
    remainingSlices:
      progress.remainingSlices + remaining.filter((slice) => !progress.completeScans.has(slice)).length,
    turn,
  };
}

function addFetch(before: PollProgress, outcome: FetchOutcome): PollProgress {
  const { slices, hasAnswered } = outcome;
  const progress = hasAnswered ? { ...before, sourceAnswered: true } : before;
  switch (outcome.outcome) {
    case 'complete':
      return {
        ...progress,
        attempted: union(progress.attempted, slices),
        fetchedWhole: union(progress.fetchedWhole, slices),
        failures: 0,
      };
    case 'incomplete':
      return { ...progress, attempted: union(progress.attempted, slices) };
    case 'out_of_time':
    case 'cut':
      return progress;
    case 'too_slow':
      return { ...progress, failed: failEach(progress, slices, 'list_too_slow') };
    case 'failed':
      return addFetchFailure({ ...progress, attempted: union(progress.attempted, slices) }, outcome);
  }
}

function addFetchFailure(
  progress: PollProgress,
  { slices, error, isSplit }: Extract<FetchOutcome, { outcome: 'failed' }>,
): PollProgress {
  const stopped = addSourceError({ ...progress, sourceAnswered: progress.sourceAnswered ?? false }, error);
  if (isStopped(stopped)) return stopped;
  return {
    ...stopped,
    failures: stopped.failures + (FAILURE_WEIGHTS[error.code] ?? 1),
    lastFailure: error,
    failed: isSplit ? stopped.failed : failEach(stopped, slices, error.code),
  };
}

function addSourceError(progress: PollProgress, error: SourceError): PollProgress {
  return {
    ...progress,
    errorCode: error.code,
    credentialRejected: progress.credentialRejected || error.code === 'source_unauthorised',
    throttled: progress.throttled || error.code === 'source_throttled',
  };
}

function addDiagnosis(progress: PollProgress, outcome: DiagnosisOutcome): PollProgress {
  if (outcome.outcome === 'readable')
    return { ...progress, sourceAnswered: true, readableDate: outcome.slice };
  const { error } = outcome;
  return {
    ...progress,
    // The source failed as a whole, so the failures of single dates say nothing.
    failed: new Map(),
    attempted: new Set([...progress.attempted].filter((slice) => progress.fetchedWhole.has(slice))),
    reasons: union(progress.reasons, [error.message]),
    errorCode: error.code,
    credentialRejected: error.credentialRejected,
  };
}

function addScan(progress: PollProgress, outcome: ScanOutcome): PollProgress {
  const { slices, records, quarantined, payPeriods, formChange, bad, readAgain, reason } = outcome;
  return {
    ...progress,
    payPeriods: payPeriods ?? progress.payPeriods,
    formChanges: formChange === null ? progress.formChanges : [...progress.formChanges, formChange],
    bad: [...progress.bad, ...bad],
    readAgain: union(progress.readAgain, readAgain),
    reasons: reason === null ? progress.reasons : union(progress.reasons, [reason]),
    counts: count(progress, { slices, records, quarantined }),
  };
}

function addLookUps(before: PollProgress, { lookUps, reasons, error }: LookUpOutcome): PollProgress {
  const progress = { ...before, lookUps: before.lookUps + lookUps, reasons: union(before.reasons, reasons) };
  return error === null ? progress : addSourceError(progress, error);
}

function addComparison(progress: PollProgress, outcome: CompareOutcome): PollProgress {
  const changesOn = new Map(progress.changesOn);
  for (const [slice, changes] of outcome.changesOn)
    changesOn.set(slice, (changesOn.get(slice) ?? 0) + changes);
  return {
    ...progress,
    shrunk: new Map([...progress.shrunk, ...outcome.shrunk]),
    lingering: union(without(progress.lingering, outcome.shrunk.keys()), outcome.lingering),
    massChanges: [...progress.massChanges, ...outcome.massChanges],
    sweptOn: [...progress.sweptOn, ...outcome.sweptOn],
    committed: union(progress.committed, outcome.committed),
    committedWhole: union(progress.committedWhole, outcome.committedWhole),
    completeScans: new Map([...progress.completeScans, ...outcome.completeScans]),
    attempted: without(progress.attempted, outcome.unconfirmed),
    payPeriods: followRows(progress.payPeriods, outcome),
    heldClosings: outcome.heldClosings?.length ?? progress.heldClosings,
    reasons: union(progress.reasons, outcome.reasons),
    changesOn,
    counts: count(progress, { changes: outcome.changes }),
  };
}

/** The periods that the list shows, and of the others those that are stored: a list proves no removal (rule 6). */
function followRows(
  seen: PollProgress['payPeriods'],
  { unlistedPeriods: unlisted, heldClosings: held }: CompareOutcome,
): PollProgress['payPeriods'] {
  if (seen === null) return seen;
  // What an incomplete list held back says nothing of periods that it did not show.
  if (unlisted === null) return seen;
  const marked =
    held === null ? seen : seen.map((each) => ({ ...each, isClosingHeld: held.includes(each.id) }));
  const listed = marked.filter(({ look }) => look !== undefined);
  const ids = new Set(listed.map(({ id }) => id));
  return [...listed, ...unlisted.filter(({ id }) => !ids.has(id))];
}

function addConflict(progress: PollProgress, outcome: ConflictOutcome): PollProgress {
  switch (outcome.outcome) {
    case 'commit_dropped':
      return { ...progress, counts: count(progress, { conflicts: 1 }) };
    case 'superseded': {
      const slices = new Set(outcome.slices);
      const completeScans = new Map([...progress.completeScans].filter(([slice]) => !slices.has(slice)));
      return { ...progress, completeScans, attempted: without(progress.attempted, slices) };
    }
    case 'discarded': {
      const { slices, reason } = outcome;
      const reasons = reason === null ? progress.reasons : union(progress.reasons, [reason]);
      return { ...progress, attempted: without(progress.attempted, slices), reasons };
    }
  }
}

function addReminded(progress: PollProgress, { until, reason }: RemindOutcome): PollProgress {
  const reasons = reason === null ? progress.reasons : union(progress.reasons, [reason]);
  return { ...progress, remindedUntil: until, reasons };
}

function addPublished(progress: PollProgress, outcome: PublishStageOutcome): PollProgress {
  const { committed, published, waiting, failed } = outcome;
  const counted = { eventsCommitted: committed, eventsPublished: published, eventsWaiting: waiting };
  return {
    ...progress,
    publishFailures: [...progress.publishFailures, ...failed],
    counts: count(progress, counted),
  };
}

function failEach(
  { failed }: PollProgress,
  slices: readonly string[],
  why: ListingFailure,
): PollProgress['failed'] {
  return new Map([...failed, ...slices.map((slice) => [slice, why] as const)]);
}

const COUNTS = Object.keys(NO_PROGRESS.counts) as readonly (keyof PollCounts)[];

function count({ counts }: PollProgress, more: Partial<PollCounts>): PollCounts {
  const sum = { ...counts };
  for (const name of COUNTS) sum[name] += more[name] ?? 0;
  return sum;
}

function union(set: ReadonlySet<string>, more: Iterable<string>): ReadonlySet<string> {
  return new Set([...set, ...more]);
}

function without(set: ReadonlySet<string>, gone: Iterable<string>): ReadonlySet<string> {
  const kept = new Set(set);
  for (const each of gone) kept.delete(each);
  return kept;
}
