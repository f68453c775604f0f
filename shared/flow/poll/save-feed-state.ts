import { hash } from 'node:crypto';
import { buildBatch } from '#shared/core/commit/commit-plan.ts';
import { toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { describePublishFailures } from '#shared/core/commit/publish-failures.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { toOperationText } from '#shared/core/events/operations.ts';
import { addOutcomes } from '#shared/core/outcome/add-outcome.ts';
import type { PollProgress } from '#shared/core/outcome/poll-progress.ts';
import { CONFLICT, type StageOutcome } from '#shared/core/outcome/stage-outcome.ts';
import { type PollResult, type PollSummary, summarizePoll } from '#shared/core/outcome/summarize-poll.ts';
import { type Agenda, scheduleDate } from '#shared/core/plan/agenda.ts';
import {
  type ChangeRates,
  classifyDistance,
  type Distance,
  encodeRates,
  learnChanges,
} from '#shared/core/plan/change-rates.ts';
import { measureLag, updateLag } from '#shared/core/plan/lag.ts';
import { type LoadRange, toLoadRange } from '#shared/core/plan/load-range.ts';
import { pullPeriodsCovering } from '#shared/core/plan/pulls.ts';
import { findFirstSliceToLoad } from '#shared/core/plan/window.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { recognizeTable, recordNewestEpoch } from '#shared/core/snapshot/recognize-table.ts';
import { assignCommitTime, buildAgendaInput, type PollRun } from './poll-run.ts';
import { publishOwnEvents } from './publish/commit-steps.ts';

/** Records that payroll went over in one poll that count as a sweep: the dates of their pay periods are next. */
const SWEEP_RECORDS = 5;
/** Polls of one feed overlap; what each found out is added to what the others saved. */
const MAX_TRIES = 4;

/** Others saved the state each time that this poll tried to. */
const STATE_CONFLICT: readonly StageOutcome[] = [
  CONFLICT,
  {
    stage: 'commit',
    outcome: 'lost',
    slices: [],
    reason: 'other polls saved the state of the feed first; the next one looks again',
  },
];

/** Name of the feed's own place among slices, for the keys of operational events. */
const FEED_STATE = 'feed';

/** How a poll ended. */
export interface FinishedPoll {
  readonly progress: PollProgress;
  readonly complete: boolean;
  readonly baselined: boolean;
  readonly state: FeedState;
}

/** What the feed remembers, and what there is to say about the watching itself: one commit, then published. */
export async function finishPoll(
  { agenda, progress }: { readonly agenda: Agenda; readonly progress: PollProgress },
  run: PollRun,
): Promise<FinishedPoll> {
  const { feed, ports } = run;
  const complete = progress.reasons.size === 0 && progress.remainingSlices === 0;
  let previous = { state: run.state, expectedRevision: run.expectedStateRevision };
  let failingFrom = run.startedAt;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const ending = { agenda, progress, run, complete, failingFrom };
    const { conclusion, rates } = computeConclusion(previous.state, ending);
    const saved = await saveState(conclusion, previous, { progress, run });
    if (saved !== null) {
      if (rates !== null) await ports.store.saveChangeRates?.(feed, rates);
      const { state } = conclusion;
      const baselined = state.baseline?.completedAt != null;
      return { progress: addOutcomes(progress, saved), complete, baselined, state };
    }
    const stored = await ports.store.loadFeedState(feed);
    deferPublishing(stored?.outbox ?? [], run);
    failingFrom = ports.clock.now();
    previous = {
      state: recognizeTable(stored?.state ?? null, {
        tableId: run.state.tableId ?? null,
        now: failingFrom,
        epochsLost: stored?.epochsLost === true,
      }),
      expectedRevision: stored === null ? null : stored.state.revision,
    };
  }
  const { state } = previous;
  const baselined = state.baseline?.completedAt != null;
  return { progress: addOutcomes(progress, STATE_CONFLICT), complete: false, baselined, state };
}

/** Operational events of another poll that may still wait go out first: ours are left to the next poll (rule 3). */
function deferPublishing(outbox: readonly string[], { commitClock, publishMemory }: PollRun): void {
  if (outbox.length === 0) return;
  publishMemory.isBehind = true;
  commitClock.follow(outbox);
}

interface PollEnding {
  readonly agenda: Agenda;
  readonly progress: PollProgress;
  readonly run: PollRun;
  readonly complete: boolean;
  readonly failingFrom: number;
}

/** The state after this poll, whoever wrote the one before. */
function computeConclusion(
  previous: FeedState,
  ending: PollEnding,
): { readonly conclusion: PollSummary; readonly rates: string | null } {
  const { agenda, progress, run } = ending;
  const now = run.ports.clock.now();
  const settings = { health: run.connection.health, timeZone: run.connection.timeZone };
  const { state, operations: said } = summarizePoll(previous, buildPollResult(ending, now), settings);
  const pace = run.ports.source.learnedPace?.() ?? null;
  const learnedPace = pace === null ? {} : { pace };
  const concluded = { state: { ...recordNewestEpoch(state, now), ...learnedPace }, operations: said };
  if (run.feed.feed !== 'timesheets') return { conclusion: concluded, rates: null };
  const input = { ...buildAgendaInput(run, now), state: concluded.state };
  const told = (slice: string) => concluded.state.failing[slice]?.told === true;
  const outlooks = agenda.window
    .filter((slice) => !told(slice))
    .map((slice) => scheduleDate(slice, input, {}));
  // While nothing is seen whole, that is said, and nothing of single dates.
  const late = progress.looks.size > 0 ? measureLag(outlooks, now) : previous.lag.worst;
  const { lag, operations } = updateLag(previous.lag.since, late, now);
  const learned = learnChanges(run.rates, previous.changeCount, {
    now,
    timeZone: settings.timeZone,
    changes: new Map([...progress.changesOn].filter(([slice]) => !progress.pulled.has(slice))),
    records: countByDistance(agenda.window, run, now),
  });
  const all = [...concluded.operations, ...operations];
  const sequence = previous.sequence + all.length;
  return {
    conclusion: {
      state: { ...concluded.state, sequence, lag, changeCount: learned.count },
      operations: all,
    },
    rates: newRates(learned.rates, run.rates),
  };
}

/** As a text for the store; null while it holds them already. */
function newRates(learned: ChangeRates | null, known: ChangeRates): string | null {
  const text = learned === null ? null : encodeRates(learned);
  return text === encodeRates(known) ? null : text;
}

function buildPollResult(
  { agenda, progress, run, complete, failingFrom }: PollEnding,
  now: number,
): PollResult {
  return {
    ...progress,
    startedAt: run.startedAt,
    now,
    failingFrom,
    window: agenda.window,
    heads: run.heads,
    pulls:
      progress.sweptOn.length >= SWEEP_RECORDS
        ? pullPeriodsCovering(progress.sweptOn, agenda.pulls, { payPeriods: run.payPeriods, now })
        : agenda.pulls,
    pages: run.pace.remembered,
    complete,
    loadRange: planNextLoadRange(run),
    held: run.publishMemory.held,
    operations: describePublishFailures(progress.publishFailures),
  };
}

/** Saves the state with its operational events in one transaction, and publishes these. Null: others were first. */
async function saveState(
  { state, operations }: PollSummary,
  { state: previous, expectedRevision }: { state: FeedState; expectedRevision: number | null },
  { progress, run }: Pick<PollEnding, 'progress' | 'run'>,
): Promise<readonly StageOutcome[] | null> {
  const { feed, ports } = run;
  const now = ports.clock.now();
  const texts = operations.map((operation, index) =>
    toOperationText(operation, feed, { epoch: previous.epoch, sequence: previous.sequence + index + 1, now }),
  );
  const events = buildBatch(texts, {
    now: assignCommitTime(run),
    head: { slice: FEED_STATE, revision: state.revision },
  });
  const token = hash('sha256', `${run.id} ${feed.connection} ${feed.feed} state ${state.revision}`, 'hex');
  const outcome = await ports.store.saveFeedState({
    feed,
    token: token.slice(0, 36),
    state,
    expectedRevision,
    events,
    eventsExpireAt: now + run.retentionMs,
  });
  if (outcome === 'conflict') return null;
  await clearUnpublishable(progress, run);
  if (events === null) return [];
  const entries = [{ slice: null, pointer: toBatchPointer(events) }];
  return [await publishOwnEvents({ entries, texts }, run)];
}

function countByDistance(window: readonly string[], run: PollRun, now: number): Record<Distance, number> {
  const records = { today: 0, yesterday: 0, tomorrow: 0, recent: 0, older: 0, ahead: 0 };
  const today = toLocalDate(now, run.connection.timeZone);
  for (const date of window)
    records[classifyDistance(date, today)] += run.heads.get(date)?.unsettledCount ?? 0;
  return records;
}

/** Takes out of their outboxes the pointers to what cannot be published, now that this has been said. */
async function clearUnpublishable(
  { publishFailures }: PollProgress,
  { ports, feed }: PollRun,
): Promise<void> {
  const entries = publishFailures.flatMap((failure) => failure.entries);
  if (entries.length > 0) await ports.store.clearOutbox(feed, entries);
}

/**
 * The next poll must load every head whose outbox may hold something, and every slice that holds records and that
 * nobody looked at.
 */
function planNextLoadRange({ heads, feed, startedAt, connection, state }: PollRun): LoadRange {
  const { timeZone, window } = connection;
  const usual = findFirstSliceToLoad({
    feed: feed.feed,
    now: startedAt,
    timeZone,
    window,
    state: { ...state, loadFrom: null },
  });
  const needed = [...heads.values()].filter(({ outbox, baselinedAt, recordCount }) => {
    return outbox.length > 0 || (baselinedAt === null && recordCount > 0);
  });
  const held = needed.map(({ slice }) => slice);
  return toLoadRange(held, state, { usual, now: startedAt });
}
