import { isMisdated } from '../clock-tolerance.ts';
import { buildBatch } from '../commit/commit-plan.ts';
import { type FeedStateWrite, toRequestToken } from '../commit/commit-step.ts';
import { updateLost } from '../commit/outbox.ts';
import { advanceRenewal } from '../commit/renewal.ts';
import { updateLosses } from '../compare/mass-change.ts';
import { updateHeldRemovals } from '../compare/mass-deletion-guard.ts';
import { updateForm, updateUnreadableRecords } from '../compare/source-form.ts';
import { toOperationText } from '../events/envelope.ts';
import type { FeedKey } from '../feeds.ts';
import {
  type Agenda,
  type AgendaInput,
  mergePulls,
  type Pulls,
  pullPeriodsCovering,
  scheduleDates,
} from '../plan/agenda.ts';
import {
  type ChangeRates,
  classifyDistance,
  type Distance,
  encodeRates,
  learnChanges,
} from '../plan/change-rates.ts';
import {
  type PollCoverage,
  updateAttempts,
  updateBursts,
  updateCoverage,
  updatePayPeriods,
} from '../plan/coverage.ts';
import { measureLag, updateLag } from '../plan/lag.ts';
import type { PageCost } from '../plan/pace-meter.ts';
import { updateUnreadableDates } from '../plan/unreadable-dates.ts';
import type { Operation } from '../records/operation.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { LearnedPace } from '../snapshot/learned-state.ts';
import { findFirstSliceToLoad, recordNewestEpoch } from '../snapshot/recognize-table.ts';
import { type AbsenceSetting, updateAbsencePeriods } from './absence-periods.ts';
import { tellNews } from './news-of-watching.ts';
import type { PollFindings } from './poll-findings.ts';

/**
 * Records processed in one poll from which they count as a payroll run: the dates of their pay periods are read next.
 */
const SWEEP_RECORDS = 5;

/** A poll at its end, with what it was planned from. Instants are milliseconds since 1970. */
export interface PollEnd {
  /** As the agenda was made, at the end of the poll. */
  readonly input: AgendaInput;
  readonly agenda: Agenda;
  readonly findings: Readonly<PollFindings>;
  readonly startedAt: number;
  /** Since when the source failed, if it did. */
  readonly failingFrom: number;
  readonly complete: boolean;
  readonly unreachableAfterPolls: number;
  /** What a page of the source took and held; undefined when none came. */
  readonly pages: PollResult['pages'];
  /** What remains of batches that were published in part. */
  readonly held: FeedState['held'];
  readonly pace: LearnedPace | null;
  /** The setting of the connection. */
  readonly absences?: AbsenceSetting | undefined;
  /** Nobody asked for events of the feed. */
  readonly isSilent: boolean;
}

export interface PollConclusion extends PollSummary {
  /** What was learned of when changes come, as a text for the store; null while it holds that already. */
  readonly rates: string | null;
}

/** The feed's state after a poll, whichever poll wrote the one before, and the events about the watching itself. */
export function concludePoll(previous: FeedState, end: PollEnd): PollConclusion {
  const result = toResult(end);
  const { state, rates } = learn(previous, result, end);
  const operations = tellNews(previous, state, { ...result, isSilent: end.isSilent });
  return { state: { ...state, sequence: previous.sequence + operations.length }, operations, rates };
}

function learn(
  previous: FeedState,
  result: PollResult,
  end: PollEnd,
): Pick<PollConclusion, 'state' | 'rates'> {
  const { input, agenda, findings, unreachableAfterPolls } = end;
  const { now, timeZone } = input;
  const state = {
    ...recordNewestEpoch(summarizePoll(previous, result, { unreachableAfterPolls, timeZone }), now),
    ...(end.pace === null ? {} : { pace: end.pace }),
  };
  if (input.feed !== 'timesheets') return { state, rates: null };
  const absences = updateAbsencePeriods(state, end.absences, state.newestEpoch);
  const dates = agenda.window.filter((slice) => state.failing[slice]?.told !== true);
  const schedule = scheduleDates(dates, { ...input, state }, {});
  // While nothing is scanned completely, that is reported, and nothing about single dates.
  const late =
    findings.completeScans.size > 0
      ? measureLag(schedule, { startedAt: end.startedAt, now })
      : previous.lag.worst;
  const learned = learnChanges(input.rates, previous.changeCount, {
    now,
    timeZone,
    changes: new Map([...findings.changesOn].filter(([slice]) => !findings.pulled.has(slice))),
    records: countByDistance(agenda.window, input),
  });
  return {
    state: {
      ...{ ...state, lag: updateLag(previous.lag.since, late, now), changeCount: learned.count },
      ...(absences === undefined ? {} : { absences: [...absences] }),
    },
    rates: encodeNewRates(learned.rates, input.rates),
  };
}

function encodeNewRates(learned: ChangeRates | null, known: ChangeRates): string | null {
  if (learned === null) return null;
  const text = encodeRates(learned);
  return text === encodeRates(known) ? null : text;
}

function toResult({ input, agenda, findings, ...end }: PollEnd): PollResult {
  const { now, heads, payPeriods } = input;
  const { sweptOn } = findings;
  return {
    ...findings,
    startedAt: end.startedAt,
    now,
    failingFrom: end.failingFrom,
    window: agenda.window,
    heads,
    pulls:
      sweptOn.length >= SWEEP_RECORDS
        ? pullPeriodsCovering(sweptOn, agenda.pulls, { payPeriods, now })
        : agenda.pulls,
    pages: end.pages,
    complete: end.complete,
    loadFrom: planNextLoadFrom(input),
    held: end.held,
  };
}

function countByDistance(window: readonly string[], { today, heads }: AgendaInput): Record<Distance, number> {
  const records = { today: 0, yesterday: 0, tomorrow: 0, recent: 0, older: 0, ahead: 0 };
  for (const date of window) records[classifyDistance(date, today)] += heads.get(date)?.unsettledCount ?? 0;
  return records;
}

/** The next poll must load every head with events in its outbox, and every slice with records and without a baseline. */
function planNextLoadFrom({ heads, feed, window }: AgendaInput): string {
  const usual = findFirstSliceToLoad(feed, window, { loadFrom: null });
  const needed = [...heads.values()].filter(({ outbox, baselinedAt, recordCount }) => {
    return outbox.length > 0 || (baselinedAt === null && recordCount > 0);
  });
  const [first = usual] = [usual, ...needed.map(({ slice }) => slice)].sort();
  return first;
}

/** What a poll did and found, as far as the next one must know. */
export interface PollResult extends Readonly<Omit<PollFindings, 'isStopped'>>, PollCoverage {
  /** Since when the source failed, if it did: not before another poll that got answers ended. */
  readonly failingFrom: number;
  readonly pulls: Pulls;
  readonly pages: PageCost | undefined;
  /** Everything that was planned was seen and committed. */
  readonly complete: boolean;
  /** The earliest slice whose head the next poll must load. */
  readonly loadFrom: string | null;
  /** What remains of batches that were published in part. */
  readonly held: FeedState['held'];
}

export interface PollSummary {
  readonly state: FeedState;
  readonly operations: readonly Operation[];
}

/** The feed's state after a poll, but for how late its dates are. */
export function summarizePoll(
  previous: FeedState,
  result: PollResult,
  { unreachableAfterPolls, timeZone }: { readonly unreachableAfterPolls: number; readonly timeZone: string },
): FeedState {
  // What a later version remembers besides stays as it is.
  const { renewal: _renewal, ...kept } = previous;
  return {
    ...kept,
    ...updateReachability(previous, result, unreachableAfterPolls),
    ...updateProgress(previous, result),
    ...updateBaseline(previous, result),
    ...updateUnreadableRecords(previous, result),
    ...updateForm(previous.formChanged, result),
    ...updateHeldRemovals(previous, result),
    ...updateLosses(previous, result),
    ...updateUnreadableDates(previous.failing, { ...result, reportAfterTries: unreachableAfterPolls }),
    ...updateLost(previous, result.publishFailures, result.counts.eventsPublished),
    ...summarizeScans(previous, result, timeZone),
    revision: previous.revision + 1,
  };
}

/** What the scans of a poll leave for the plan of the next one. */
function summarizeScans(previous: FeedState, result: PollResult, timeZone: string): Partial<FeedState> {
  const reminded = advanceReminders(previous, result);
  const renewal = advanceRenewal(previous, result.renewed, result);
  const coverage = updateCoverage(previous, result);
  const tried = updateAttempts(previous, coverage, result);
  const bursts = updateBursts(previous, result);
  const periods = updatePayPeriods(previous, result, timeZone);
  return {
    coverage,
    tried,
    ...periods,
    ...reminded,
    pulls: mergePulls(previous.pulls, result.pulls),
    loadFrom: result.loadFrom,
    bursts,
    ...(renewal === undefined ? {} : { renewal }),
    turn: result.rotation ?? previous.turn,
    ...(result.pages === undefined ? {} : { pages: result.pages }),
    held: result.held,
  };
}

function updateReachability(
  { failedPolls, failingSince, unreachableSince }: FeedState,
  { sourceAnswered, failingFrom }: PollResult,
  unreachableAfterPolls: number,
): Pick<FeedState, 'failedPolls' | 'failingSince' | 'unreachableSince'> {
  if (sourceAnswered === null) return { failedPolls, failingSince, unreachableSince };
  if (sourceAnswered) return { failedPolls: 0, failingSince: null, unreachableSince: null };
  const since = failingSince ?? failingFrom;
  const isUnreachable = failedPolls + 1 >= unreachableAfterPolls;
  return {
    failedPolls: failedPolls + 1,
    failingSince: since,
    unreachableSince: unreachableSince ?? (isUnreachable ? since : null),
  };
}

function updateProgress(
  { completedAt }: FeedState,
  { complete, completeScans, now }: PollResult,
): Pick<FeedState, 'completedAt'> {
  return { completedAt: complete || completeScans.size > 0 ? now : completedAt };
}

function updateBaseline(
  previous: FeedState,
  { window, heads, startedAt, now }: PollResult,
): Pick<FeedState, 'baseline'> {
  const from = window[0] ?? '';
  const to = window.at(-1) ?? '';
  const known = previous.baseline ?? { from, to, startedAt, completedAt: null };
  if (known.completedAt !== null) return { baseline: known };
  const isRead = window.every((slice) => heads.get(slice)?.baselinedAt != null);
  return { baseline: { ...known, from, to, completedAt: isRead ? now : null } };
}

/** Of two polls that overlap, the one that reported later moments counts; an instant ahead of now came from a wrong clock. */
function advanceReminders(
  { remindedUntil: before }: FeedState,
  { remindedUntil, now }: PollResult,
): Pick<FeedState, 'remindedUntil'> {
  if (remindedUntil === null) return {};
  const isUndated = before !== undefined && isMisdated(before, now);
  return { remindedUntil: isUndated ? remindedUntil : Math.max(remindedUntil, before ?? 0) };
}

/** Name of the feed's own place among slices, for the keys of operational events. */
const FEED_STATE = 'feed';

/** The state that a poll found, and the revision it has in the store; null when it is not there. */
export interface StoredState {
  readonly state: FeedState;
  readonly expectedRevision: number | null;
}

/** When and by whom a state is written. Instants are milliseconds since 1970. */
export interface StateWriter {
  readonly feed: FeedKey;
  readonly runId: string;
  readonly now: number;
  /** The instant of this commit among those of the feed. */
  readonly committedAt: number;
  readonly retentionMs: number;
}

/** One transaction: the feed's state with its operational events, whose sequence goes on from the state before. */
export function planStateWrite(
  { state, operations }: PollSummary,
  previous: StoredState,
  { feed, runId, now, committedAt, retentionMs }: StateWriter,
): { readonly write: FeedStateWrite; readonly texts: readonly string[] } {
  const { epoch, sequence } = previous.state;
  const texts = operations.map((operation, index) =>
    toOperationText(operation, feed, { epoch, sequence: sequence + index + 1, now }),
  );
  const write: FeedStateWrite = {
    feed,
    token: toRequestToken([runId, feed.connection, feed.feed, 'state', state.revision]),
    state,
    expectedRevision: previous.expectedRevision,
    events: buildBatch(texts, {
      now: committedAt,
      head: { slice: FEED_STATE, revision: state.revision },
      look: runId,
    }),
    // Waiting events must expire in the order of their commits, whatever the clocks of polls say.
    eventsExpireAt: committedAt + retentionMs,
  };
  return { write, texts };
}
