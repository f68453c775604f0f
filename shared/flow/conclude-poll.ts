import { hash } from 'node:crypto';
import { batchOf } from '../core/commit-plan.ts';
import { batchPointer } from '../core/commit-step.ts';
import { conclude } from '../core/conclude.ts';
import { noteNewestEpoch } from '../core/epochs.ts';
import { operationText } from '../core/operations.ts';
import { loadHeadsFrom, type Plan, pullForward } from '../core/plan.ts';
import { type Reach, reachOf } from '../core/reach.ts';
import { publishOwn } from './commit.ts';
import { dateCommit, type Run } from './run.ts';

/** Records processed in one poll that count as a burst: the dates of their pay periods are looked at next. */
const BURST_OF_PROCESSING = 5;

/** Name of the feed's own place among slices, for the keys of operational events. */
const FEED_STATE = 'feed';

/** What the feed remembers, and what there is to say about the watching itself: one commit, then published. */
export async function concludePoll(plan: Plan, run: Run): Promise<{ complete: boolean; baselined: boolean }> {
  const { tally, feed, ports } = run;
  const now = ports.clock.now();
  const complete = tally.reasons.size === 0 && tally.remainingSlices === 0;
  const { state: concluded, operations } = conclude(
    run.state,
    {
      startedAt: run.startedAt,
      now,
      window: plan.window,
      heads: run.heads,
      looks: tally.looks,
      shrunk: tally.shrunk,
      compared: tally.compared,
      bad: tally.bad,
      ...doubtsOf(run),
      payPeriods: tally.payPeriods,
      pulls: isBurst(run)
        ? pullForward(plan.pulls, tally.processedOn, { payPeriods: run.payPeriods, now })
        : plan.pulls,
      sourceAnswered: tally.sourceAnswered,
      errorCode: tally.errorCode,
      complete,
      reach: reachOfNext(run),
    },
    { health: run.connection.health, timeZone: run.connection.timeZone },
  );
  const state = noteNewestEpoch(concluded, now);
  const { epoch, sequence } = run.state;
  const texts = operations.map((operation, index) =>
    operationText(operation, feed, { epoch, sequence: sequence + index + 1, now }),
  );
  const events = batchOf(texts, {
    now: dateCommit(run),
    head: { slice: FEED_STATE, revision: state.revision },
  });
  const outcome = await ports.store.saveFeedState({
    feed,
    token: hash('sha256', `${run.id} ${feed.connection} ${feed.feed} state ${state.revision}`, 'hex').slice(
      0,
      36,
    ),
    state,
    expectedRevision: run.expectedStateRevision,
    events,
    eventsExpireAt: now + run.retentionMs,
  });
  if (outcome === 'conflict') {
    tally.counts.conflicts += 1;
    tally.reasons.add('another poll committed first; the next one looks again');
    return { complete: false, baselined: run.state.baseline?.completedAt != null };
  }
  if (events !== null) {
    const pointer = batchPointer(events);
    await publishOwn({ entries: [{ slice: null, pointer }], texts }, run);
  }
  return { complete, baselined: state.baseline?.completedAt != null };
}

/** What was not believed at first sight. */
function doubtsOf({ tally: { looked, massChanges, lossesTold, formChanges } }: Run) {
  return { looked, massChanges, lossesTold, formChanges };
}

function isBurst({ tally }: Run): boolean {
  return tally.processedOn.length >= BURST_OF_PROCESSING;
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
