import { type LossReport, type MassChange, updateLosses } from '../compare/mass-change.ts';
import { type Doubts, followDoubts } from '../compare/mass-deletion-guard.ts';
import { type FormChange, selectQuarantined, updateForm } from '../compare/source-form.ts';
import { toIso, toLocalDate } from '../dates.ts';
import { toQuarantineMark } from '../events/operations.ts';
import type { BadRecord } from '../fetch/scan.ts';
import { type PollCoverage, updateBursts, updateCoverage, updateTried } from '../plan/coverage.ts';
import type { LoadRange } from '../plan/load-range.ts';
import type { PageCost } from '../plan/pace-meter.ts';
import { mergePulls, type Pulls } from '../plan/pulls.ts';
import { updateUnreadableDates } from '../plan/unreadable-dates.ts';
import type { Operation } from '../records/operation.ts';
import type { PayPeriodHint } from '../records/pay-period.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { HeldEvents } from '../snapshot/held-events.ts';

/** Bad records that are told of one by one on a day; beyond that the metrics must do. */
const MAX_QUARANTINE_MARKS = 200;

/** What a poll did, as far as the next one must know. */
export interface PollResult extends PollCoverage, Doubts {
  /** Since when the source failed, if it did: not before another poll that got answers ended. */
  readonly failingFrom: number;
  readonly bad: readonly BadRecord[];
  /** Slices of which a look, complete or not, was committed. */
  readonly looked?: ReadonlySet<string>;
  readonly massChanges?: readonly MassChange[];
  readonly lossesTold?: LossReport['told'];
  readonly formChanges?: readonly FormChange[];
  /** The periods of a complete scan of pay periods; null otherwise. */
  readonly payPeriods: readonly PayPeriodHint[] | null;
  readonly pulls: Pulls;
  /** Slices that failed while others did not, with the code of the error, and those whose list was read to its end. */
  readonly failed: ReadonlyMap<string, string>;
  readonly listed: ReadonlySet<string>;
  readonly pages: PageCost | undefined;
  /** Which class of dates has its turn next; null when it does not matter. */
  readonly turn: number | null;
  /** Whether the source gave at least one usable answer; null when it was not asked. */
  readonly sourceAnswered: boolean | null;
  /** Code of what went wrong last with the source. */
  readonly errorCode: string | null;
  /** Everything that was planned was seen and committed. */
  readonly complete: boolean;
  readonly loadRange: LoadRange;
  /** What is left of batches that were published in part. */
  readonly held?: HeldEvents;
  /** What stages found to be told about the watching itself. */
  readonly operations?: readonly Operation[];
}

export interface HealthRule {
  readonly unreachableAfterPolls: number;
  readonly stalledAfterMinutes: number;
}

export interface PollSummary {
  readonly state: FeedState;
  readonly operations: readonly Operation[];
}

/** The feed's state after a poll, and what is to be told about the watching itself. */
export function summarizePoll(
  previous: FeedState,
  result: PollResult,
  settings: { readonly health: HealthRule; readonly timeZone: string },
): PollSummary {
  const reach = summarizeReachability(previous, result, settings.health);
  const progress = summarizeProgress(previous, result, settings.health);
  const quarantine = summarizeQuarantine(previous, result, settings.timeZone);
  const baseline = summarizeBaseline(previous, result);
  const shrinking = followDoubts(previous, result);
  const readings = updateUnreadableDates(previous.failing, {
    ...result,
    reportAfterTries: settings.health.unreachableAfterPolls,
  });
  const losses = summarizeLosses(previous, result);
  const form = summarizeForm(previous, result);
  const parts = [reach, progress, quarantine, baseline, shrinking, readings, losses, form];
  const operations = [...(result.operations ?? []), ...parts.flatMap((part) => part.operations)];
  const coverage = updateCoverage(previous, result);
  const bursts = updateBursts(previous, result);
  // What a later version remembers besides stays as it is.
  const {
    extendedAt: _,
    held: _held,
    bursts: _bursts,
    massChange: _mass,
    lossesTold: _told,
    formChanged: _form,
    ...kept
  } = previous;
  const state: FeedState = {
    ...kept,
    revision: previous.revision + 1,
    sequence: previous.sequence + operations.length,
    ...baseline.state,
    ...reach.state,
    ...progress.state,
    ...quarantine.state,
    ...shrinking.state,
    coverage,
    tried: updateTried(previous, coverage, result),
    failing: readings.failing,
    lag: previous.lag,
    ...selectPayPeriods(previous, result),
    pulls: mergePulls(previous.pulls, result.pulls),
    ...losses.state,
    ...(form.state === null ? {} : { formChanged: form.state }),
    ...result.loadRange,
    ...(Object.keys(bursts).length === 0 ? {} : { bursts }),
    ...(result.turn === null ? {} : { turn: result.turn }),
    ...(result.pages === undefined ? {} : { pages: result.pages }),
    ...(previous.changeCount === undefined ? {} : { changeCount: previous.changeCount }),
    ...(Object.keys(result.held ?? {}).length === 0 ? {} : { held: result.held }),
  };
  return { state, operations };
}

function summarizeLosses(previous: FeedState, result: PollResult): ReturnType<typeof updateLosses> {
  const { lossesTold = [], massChanges = [], looked = new Set(), window, now } = result;
  return updateLosses(previous, { told: lossesTold, massChanges, looked, window, now });
}

function summarizeForm(previous: FeedState, result: PollResult): ReturnType<typeof updateForm> {
  const { formChanges = [], compared, window, startedAt } = result;
  return updateForm(previous.formChanged, { changes: formChanges, compared, window, startedAt });
}

type Part<Keys extends keyof FeedState> = {
  readonly state: Pick<FeedState, Keys>;
  readonly operations: readonly Operation[];
};

function summarizeReachability(
  previous: FeedState,
  { sourceAnswered, errorCode, failingFrom }: PollResult,
  { unreachableAfterPolls }: HealthRule,
): Part<'failedPolls' | 'failingSince' | 'unreachableSince'> {
  const { failedPolls, failingSince, unreachableSince } = previous;
  if (sourceAnswered === null)
    return { state: { failedPolls, failingSince, unreachableSince }, operations: [] };
  if (sourceAnswered) {
    const state = { failedPolls: 0, failingSince: null, unreachableSince: null };
    if (unreachableSince === null) return { state, operations: [] };
    const data = { unreachableSince: toIso(unreachableSince), failedPolls };
    return { state, operations: [{ type: 'source.recovered', subject: null, data }] };
  }
  const since = failingSince ?? failingFrom;
  const failed = failedPolls + 1;
  const news = unreachableSince === null && failed >= unreachableAfterPolls;
  const data = { failingSince: toIso(since), failedPolls: failed, reason: errorCode };
  return {
    state: { failedPolls: failed, failingSince: since, unreachableSince: news ? since : unreachableSince },
    operations: news ? [{ type: 'source.unreachable', subject: null, data }] : [],
  };
}

function summarizeProgress(
  previous: FeedState,
  { complete, looks, sourceAnswered, now }: PollResult,
  { stalledAfterMinutes }: HealthRule,
): Part<'completedAt' | 'stalledSince'> {
  // What was not seen is late, and said so by date: a feed stalls when nothing at all is seen whole.
  if (complete || looks.size > 0) return { state: { completedAt: now, stalledSince: null }, operations: [] };
  const { stalledSince } = previous;
  // A feed that never completed a poll counts from the first one that tried, one whose source was away from its return.
  const returned = previous.failingSince !== null && sourceAnswered === true;
  const completedAt = returned ? now : (previous.completedAt ?? now);
  const stalled = sourceAnswered === true && now - completedAt >= stalledAfterMinutes * 60_000;
  if (!stalled || stalledSince !== null) return { state: { completedAt, stalledSince }, operations: [] };
  const data = { completedAt: toIso(completedAt) };
  return {
    state: { completedAt, stalledSince: now },
    operations: [{ type: 'poll.stalled', subject: null, data }],
  };
}

function summarizeQuarantine(
  previous: FeedState,
  { bad, now }: PollResult,
  timeZone: string,
): Part<'quarantined'> {
  const day = toLocalDate(now, timeZone);
  const marks = new Set(previous.quarantined.day === day ? previous.quarantined.marks : []);
  const operations: Operation[] = [];
  for (const { id, issues } of selectQuarantined(bad, previous.formChanged)) {
    const mark = toQuarantineMark(id, issues);
    if (marks.has(mark) || marks.size >= MAX_QUARANTINE_MARKS) continue;
    marks.add(mark);
    operations.push({ type: 'record.quarantined', subject: id, data: { recordId: id, issues: [...issues] } });
  }
  return { state: { quarantined: { day, marks: [...marks] } }, operations };
}

function summarizeBaseline(
  previous: FeedState,
  { window, heads, startedAt, now }: PollResult,
): Part<'baseline'> {
  const from = window[0] ?? '';
  const to = window.at(-1) ?? '';
  const begun = previous.baseline ?? { from, to, startedAt, completedAt: null };
  if (begun.completedAt !== null) return { state: { baseline: begun }, operations: [] };
  const installed = window.every((slice) => heads.get(slice)?.baselinedAt != null);
  const baseline = { ...begun, from, to, completedAt: installed ? now : null };
  if (!installed) return { state: { baseline }, operations: [] };
  const records = window.reduce((sum, slice) => sum + (heads.get(slice)?.recordCount ?? 0), 0);
  const data = { from, to, records, startedAt: toIso(begun.startedAt), completedAt: toIso(now) };
  return { state: { baseline }, operations: [{ type: 'baseline.completed', subject: null, data }] };
}

/** Of two polls that overlap, the list that was asked for later counts. */
function selectPayPeriods(
  { payPeriods, payPeriodsAt }: FeedState,
  { payPeriods: seen, startedAt, now }: PollResult,
): Pick<FeedState, 'payPeriods' | 'payPeriodsAt'> {
  const isOlder = payPeriodsAt !== undefined && payPeriodsAt > startedAt && payPeriodsAt <= now;
  if (seen !== null && !isOlder) return { payPeriods: [...seen], payPeriodsAt: startedAt };
  return { payPeriods, ...(payPeriodsAt === undefined ? {} : { payPeriodsAt }) };
}
