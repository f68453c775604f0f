import { hash } from 'node:crypto';
import { latestCommitAt } from '#shared/core/commit/commit-order.ts';
import { batchOf } from '#shared/core/commit/commit-plan.ts';
import { batchPointer, type CommitOutcome } from '#shared/core/commit/commit-step.ts';
import { describePublishFailures } from '#shared/core/commit/publish-failures.ts';
import { type Conclusion, conclude, type PollResult } from '#shared/core/commit/summarize-poll.ts';
import { dateIn } from '#shared/core/dates.ts';
import { operationText } from '#shared/core/events/operations.ts';
import { type Agenda, outlookOf } from '#shared/core/plan/agenda.ts';
import { type Distance, distanceOf, encodeRates, learnChanges } from '#shared/core/plan/change-rates.ts';
import { measureLag, noteLag } from '#shared/core/plan/lag.ts';
import { type Reach, reachOf } from '#shared/core/plan/load-range.ts';
import { pullPeriodsOf } from '#shared/core/plan/pulls.ts';
import { loadHeadsFrom } from '#shared/core/plan/window.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { noteNewestEpoch, recognizeTable } from '#shared/core/snapshot/recognize-table.ts';
import { publishOwn } from './publish/commit-steps.ts';
import { agendaInput, dateCommit, type Run } from './run.ts';

/** Records that payroll went over in one poll that count as a sweep: the dates of their pay periods are next. */
const SWEEP_RECORDS = 5;
/** Polls of one feed overlap; what each found out is added to what the others saved. */
const MAX_TRIES = 4;

/** Name of the feed's own place among slices, for the keys of operational events. */
const FEED_STATE = 'feed';

/** How a poll ended. */
export interface Concluded {
  readonly complete: boolean;
  readonly baselined: boolean;
  readonly state: FeedState;
}

/** What the feed remembers, and what there is to say about the watching itself: one commit, then published. */
export async function concludePoll(agenda: Agenda, run: Run): Promise<Concluded> {
  const { tally, feed, ports } = run;
  const complete = tally.reasons.size === 0 && tally.remainingSlices === 0;
  let previous = { state: run.state, expectedRevision: run.expectedStateRevision };
  let failingFrom = run.startedAt;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const { conclusion, rates } = concludeFrom(previous.state, { agenda, run, complete, failingFrom });
    const outcome = await save(conclusion, previous, run);
    if (outcome === 'committed') {
      if (rates !== null) await ports.store.saveChangeRates?.(feed, rates);
      const { state } = conclusion;
      return { complete, baselined: state.baseline?.completedAt != null, state };
    }
    const stored = await ports.store.loadFeedState(feed);
    waitBehind(stored?.outbox ?? [], run);
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
function waitBehind(outbox: readonly string[], { tally, publishMemory }: Run): void {
  if (outbox.length === 0) return;
  publishMemory.isBehind = true;
  tally.lastCommitAt = Math.max(tally.lastCommitAt, latestCommitAt(outbox));
}

interface Ending {
  readonly agenda: Agenda;
  readonly run: Run;
  readonly complete: boolean;
  readonly failingFrom: number;
}

/** The state after this poll, whoever wrote the one before. */
function concludeFrom(
  previous: FeedState,
  ending: Ending,
): { readonly conclusion: Conclusion; readonly rates: string | null } {
  const { agenda, run } = ending;
  const now = run.ports.clock.now();
  const settings = { health: run.connection.health, timeZone: run.connection.timeZone };
  const { state, operations: said } = conclude(previous, resultOf(ending, now), settings);
  const pace = run.ports.source.learnedPace?.() ?? null;
  const learnedPace = pace === null ? {} : { pace };
  const concluded = { state: { ...noteNewestEpoch(state, now), ...learnedPace }, operations: said };
  if (run.feed.feed !== 'timesheets') return { conclusion: concluded, rates: null };
  const input = { ...agendaInput(run, now), state: concluded.state };
  const told = (slice: string) => concluded.state.failing[slice]?.told === true;
  const outlooks = agenda.window.filter((slice) => !told(slice)).map((slice) => outlookOf(slice, input, {}));
  // While nothing is seen whole, that is said, and nothing of single dates.
  const late = run.tally.looks.size > 0 ? measureLag(outlooks, now) : previous.lag.worst;
  const { lag, operations } = noteLag(previous.lag.since, late, now);
  const learned = learnChanges(run.rates, previous.changeCount, {
    now,
    timeZone: settings.timeZone,
    changes: new Map([...run.tally.changesOn].filter(([slice]) => !run.tally.pulled.has(slice))),
    records: recordsByDistance(agenda.window, run, now),
  });
  const all = [...concluded.operations, ...operations];
  const sequence = previous.sequence + all.length;
  return {
    conclusion: {
      state: { ...concluded.state, sequence, lag, changeCount: learned.count },
      operations: all,
    },
    rates: learned.rates === null ? null : encodeRates(learned.rates),
  };
}

function resultOf({ agenda, run, complete, failingFrom }: Ending, now: number): PollResult {
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
        ? pullPeriodsOf(tally.sweptOn, agenda.pulls, { payPeriods: run.payPeriods, now })
        : agenda.pulls,
    pages: run.pace.remembered,
    complete,
    reach: reachOfNext(run),
    held: run.publishMemory.held,
    operations: describePublishFailures(tally.publishFailures),
  };
}

/** Saves the state with its operational events in one transaction, and publishes these. */
async function save(
  { state, operations }: Conclusion,
  { state: previous, expectedRevision }: { state: FeedState; expectedRevision: number | null },
  run: Run,
): Promise<CommitOutcome> {
  const { feed, ports } = run;
  const now = ports.clock.now();
  const texts = operations.map((operation, index) =>
    operationText(operation, feed, { epoch: previous.epoch, sequence: previous.sequence + index + 1, now }),
  );
  const events = batchOf(texts, {
    now: dateCommit(run),
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
  await putAside(run);
  if (events !== null) {
    await publishOwn({ entries: [{ slice: null, pointer: batchPointer(events) }], texts }, run);
  }
  return outcome;
}

function recordsByDistance(window: readonly string[], run: Run, now: number): Record<Distance, number> {
  const records = { today: 0, yesterday: 0, tomorrow: 0, recent: 0, older: 0, ahead: 0 };
  const today = dateIn(now, run.connection.timeZone);
  for (const date of window) records[distanceOf(date, today)] += run.heads.get(date)?.unsettledCount ?? 0;
  return records;
}

/** Takes out of their outboxes the pointers to what cannot be published, now that this has been said. */
async function putAside({ tally, ports, feed }: Run): Promise<void> {
  const entries = tally.publishFailures.flatMap((failure) => failure.entries);
  if (entries.length > 0) await ports.store.clearOutbox(feed, entries);
}

/**
 * The next poll must load every head whose outbox may hold something, and every slice that holds records and that
 * nobody looked at.
 */
function reachOfNext({ heads, feed, startedAt, connection, state }: Run): Reach {
  const { timeZone, window } = connection;
  const usual = loadHeadsFrom({
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
  return reachOf(held, state, { usual, now: startedAt });
}
