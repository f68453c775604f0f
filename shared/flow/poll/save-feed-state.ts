import { hash } from 'node:crypto';
import { findLatestCommitAt } from '#shared/core/commit/commit-order.ts';
import { buildBatch } from '#shared/core/commit/commit-plan.ts';
import { type CommitOutcome, toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { describePublishFailures } from '#shared/core/commit/publish-failures.ts';
import { type PollResult, type PollSummary, summarizePoll } from '#shared/core/commit/summarize-poll.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { toOperationText } from '#shared/core/events/operations.ts';
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

/** Name of the feed's own place among slices, for the keys of operational events. */
const FEED_STATE = 'feed';

/** How a poll ended. */
export interface FinishedPoll {
  readonly complete: boolean;
  readonly baselined: boolean;
  readonly state: FeedState;
}

/** What the feed remembers, and what there is to say about the watching itself: one commit, then published. */
export async function finishPoll(agenda: Agenda, run: PollRun): Promise<FinishedPoll> {
  const { tally, feed, ports } = run;
  const complete = tally.reasons.size === 0 && tally.remainingSlices === 0;
  let previous = { state: run.state, expectedRevision: run.expectedStateRevision };
  let failingFrom = run.startedAt;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const { conclusion, rates } = computeConclusion(previous.state, { agenda, run, complete, failingFrom });
    const outcome = await saveState(conclusion, previous, run);
    if (outcome === 'committed') {
      if (rates !== null) await ports.store.saveChangeRates?.(feed, rates);
      const { state } = conclusion;
      return { complete, baselined: state.baseline?.completedAt != null, state };
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
  tally.counts.conflicts += 1;
  tally.reasons.add('other polls saved the state of the feed first; the next one looks again');
  const { state } = previous;
  return { complete: false, baselined: state.baseline?.completedAt != null, state };
}

/** Operational events of another poll that may still wait go out first: ours are left to the next poll (rule 3). */
function deferPublishing(outbox: readonly string[], { tally, publishMemory }: PollRun): void {
  if (outbox.length === 0) return;
  publishMemory.isBehind = true;
  tally.lastCommitAt = Math.max(tally.lastCommitAt, findLatestCommitAt(outbox));
}

interface PollEnding {
  readonly agenda: Agenda;
  readonly run: PollRun;
  readonly complete: boolean;
  readonly failingFrom: number;
}

/** The state after this poll, whoever wrote the one before. */
function computeConclusion(
  previous: FeedState,
  ending: PollEnding,
): { readonly conclusion: PollSummary; readonly rates: string | null } {
  const { agenda, run } = ending;
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
  const late = run.tally.looks.size > 0 ? measureLag(outlooks, now) : previous.lag.worst;
  const { lag, operations } = updateLag(previous.lag.since, late, now);
  const learned = learnChanges(run.rates, previous.changeCount, {
    now,
    timeZone: settings.timeZone,
    changes: new Map([...run.tally.changesOn].filter(([slice]) => !run.tally.pulled.has(slice))),
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

function buildPollResult({ agenda, run, complete, failingFrom }: PollEnding, now: number): PollResult {
  const { tally } = run;
  return {
    ...tally,
    startedAt: run.startedAt,
    now,
    failingFrom,
    window: agenda.window,
    heads: run.heads,
    pulls:
      tally.sweptOn.length >= SWEEP_RECORDS
        ? pullPeriodsCovering(tally.sweptOn, agenda.pulls, { payPeriods: run.payPeriods, now })
        : agenda.pulls,
    pages: run.pace.remembered,
    complete,
    loadRange: planNextLoadRange(run),
    held: run.publishMemory.held,
    operations: describePublishFailures(tally.publishFailures),
  };
}

/** Saves the state with its operational events in one transaction, and publishes these. */
async function saveState(
  { state, operations }: PollSummary,
  { state: previous, expectedRevision }: { state: FeedState; expectedRevision: number | null },
  run: PollRun,
): Promise<CommitOutcome> {
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
  if (outcome === 'conflict') return outcome;
  await clearUnpublishable(run);
  if (events !== null) {
    await publishOwnEvents({ entries: [{ slice: null, pointer: toBatchPointer(events) }], texts }, run);
  }
  return outcome;
}

function countByDistance(window: readonly string[], run: PollRun, now: number): Record<Distance, number> {
  const records = { today: 0, yesterday: 0, tomorrow: 0, recent: 0, older: 0, ahead: 0 };
  const today = toLocalDate(now, run.connection.timeZone);
  for (const date of window)
    records[classifyDistance(date, today)] += run.heads.get(date)?.unsettledCount ?? 0;
  return records;
}

/** Takes out of their outboxes the pointers to what cannot be published, now that this has been said. */
async function clearUnpublishable({ tally, ports, feed }: PollRun): Promise<void> {
  const entries = tally.publishFailures.flatMap((failure) => failure.entries);
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
