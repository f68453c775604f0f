import { toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { addOutcomes } from '#shared/core/outcome/add-outcome.ts';
import { concludePoll } from '#shared/core/outcome/conclude-poll.ts';
import type { PollProgress } from '#shared/core/outcome/poll-progress.ts';
import { COMMIT_DROPPED, type StageOutcome } from '#shared/core/outcome/stage-outcome.ts';
import { planStateWrite, type StoredState } from '#shared/core/outcome/state-write.ts';
import type { PollSummary } from '#shared/core/outcome/summarize-poll.ts';
import type { Agenda } from '#shared/core/plan/agenda.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { recognizeTable } from '#shared/core/snapshot/recognize-table.ts';
import { assignCommitTime, buildAgendaInput, type PollRun } from './poll-run.ts';
import { publishOwnEvents } from './publish/commit-steps.ts';

/** Polls of one feed overlap; what each found out is added to what the others saved. */
const MAX_TRIES = 4;

/** Others saved the state each time that this poll tried to. */
const STATE_CONFLICT: readonly StageOutcome[] = [
  COMMIT_DROPPED,
  {
    stage: 'conflict',
    outcome: 'discarded',
    slices: [],
    reason: 'other polls saved the state of the feed first; the next one scans again',
  },
];

/** How a poll ended. */
export interface FinishedPoll {
  readonly progress: PollProgress;
  readonly complete: boolean;
  readonly baselined: boolean;
  readonly state: FeedState;
}

/** What the feed remembers, and the events about the watching itself: one commit, then published. */
export async function finishPoll(
  { agenda, progress }: { readonly agenda: Agenda; readonly progress: PollProgress },
  run: PollRun,
): Promise<FinishedPoll> {
  const { feed, ports } = run;
  const complete = progress.reasons.size === 0 && progress.remainingSlices === 0;
  let previous: StoredState = { state: run.state, expectedRevision: run.expectedStateRevision };
  let failingFrom = run.startedAt;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const conclusion = concludePoll(previous.state, {
      input: buildAgendaInput(run, ports.clock.now()),
      agenda,
      progress,
      startedAt: run.startedAt,
      failingFrom,
      complete,
      health: run.connection.health,
      pages: run.pace.remembered,
      held: run.publishMemory.held,
      pace: ports.source.learnedPace?.() ?? null,
      absences: run.connection.absences,
    });
    const { state, rates } = conclusion;
    const published = await saveState(conclusion, previous, { progress, run });
    if (published !== null) {
      if (rates !== null) await ports.store.saveChangeRates?.(feed, rates);
      return { progress: addOutcomes(progress, published), complete, baselined: isBaselined(state), state };
    }
    const stored = await ports.store.loadFeedState(feed);
    deferPublishing(stored?.outbox ?? [], run);
    failingFrom = ports.clock.now();
    previous = {
      state: recognizeTable(stored?.state ?? null, {
        tableId: run.state.tableId ?? null,
        now: failingFrom,
      }),
      expectedRevision: stored === null ? null : stored.state.revision,
    };
  }
  const { state } = previous;
  const unsaved = addOutcomes(progress, STATE_CONFLICT);
  return { progress: unsaved, complete: false, baselined: isBaselined(state), state };
}

function isBaselined({ baseline }: FeedState): boolean {
  return baseline?.completedAt != null;
}

/** Operational events of another poll that may still wait go out first: those of this poll are left to the next one (rule 3). */
function deferPublishing(outbox: readonly string[], { commitClock, publishMemory }: PollRun): void {
  if (outbox.length === 0) return;
  publishMemory.isBehind = true;
  commitClock.follow(outbox);
}

/** Saves the state with its operational events in one transaction, and publishes these. Null: others were first. */
async function saveState(
  summary: PollSummary,
  previous: StoredState,
  { progress, run }: { readonly progress: PollProgress; readonly run: PollRun },
): Promise<readonly StageOutcome[] | null> {
  const { feed, ports, retentionMs } = run;
  const { write, texts } = planStateWrite(summary, previous, {
    feed,
    runId: run.id,
    now: ports.clock.now(),
    committedAt: assignCommitTime(run),
    retentionMs,
  });
  if ((await ports.store.saveFeedState(write)) === 'conflict') return null;
  await clearUnpublishable(progress, run);
  if (write.events === null) return [];
  const entries = [{ slice: null, pointer: toBatchPointer(write.events) }];
  return [await publishOwnEvents({ entries, texts }, run)];
}

/** Takes the pointers to what cannot be published out of their outboxes, now that this is reported. */
async function clearUnpublishable(
  { publishFailures }: PollProgress,
  { ports, feed }: PollRun,
): Promise<void> {
  const entries = publishFailures.flatMap((failure) => failure.entries);
  if (entries.length > 0) await ports.store.clearOutbox(feed, entries);
}
