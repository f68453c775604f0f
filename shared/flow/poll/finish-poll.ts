import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { type CommitOutcome, type FeedStateWrite, toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { countFailedEvents } from '#shared/core/commit/outbox.ts';
import { findIssues } from '#shared/core/definitions/check-event.ts';
import { toOperationText } from '#shared/core/events/envelope.ts';
import {
  concludePoll,
  type PollConclusion,
  type PollSummary,
  planStateWrite,
  type StoredState,
} from '#shared/core/outcome/feed-memory.ts';
import { addDiscarded, addDroppedCommit, PollFindings } from '#shared/core/outcome/poll-findings.ts';
import type { Agenda } from '#shared/core/plan/agenda.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { recognizeTable } from '#shared/core/snapshot/recognize-table.ts';
import { WAITS } from '#shared/core/waits.ts';
import { tellWatermark } from '#shared/systems/flow/tell-watermark.ts';
import { clearUnpublishable, deferPublishing, publishOwnEvents } from './commit-and-publish.ts';
import type { PublishedEvents } from './count-published.ts';
import { findRepeatEnd } from './load-state.ts';
import { type PollInput, type PollPorts, type PollRun, toFeedKey } from './poll-run.ts';
import { buildAgendaInput } from './process-due-slices.ts';

/** Polls of one feed overlap; what each found out is added to what the others saved. */
const MAX_TRIES = 4;

/** Others saved the state each time that this poll tried to. */
const STATE_CONFLICT = 'other polls saved the state of the feed first; the next one scans again';

/** How a poll ended. */
export interface FinishedPoll {
  readonly complete: boolean;
  readonly baselined: boolean;
  readonly state: FeedState;
}

/** What the feed remembers, and the events about the watching itself: one commit, then published. */
export async function finishPoll(agenda: Agenda, run: PollRun): Promise<FinishedPoll> {
  const { feed, ports, memory, connection } = run;
  const { findings } = memory;
  const complete = findings.reasons.size === 0 && findings.remainingSlices === 0;
  let previous: StoredState = { state: run.state, expectedRevision: run.expectedStateRevision };
  let failingFrom = run.startedAt;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const concluded = concludePoll(previous.state, {
      ...{ agenda, findings, complete, failingFrom, startedAt: run.startedAt },
      input: buildAgendaInput(run, ports.clock.now()),
      unreachableAfterPolls: run.guards.unreachableAfterPolls,
      pages: memory.pace.remembered,
      held: memory.publishing.held,
      pace: ports.source.learnedPace?.() ?? null,
      absences: connection.absences,
      isSilent: run.eventContext.isSilent === true,
    });
    const fitting = dropMisfits(concluded, run);
    // Another poll has looked and concluded meanwhile: the watermark waits for the next one.
    const conclusion = tries === 1 ? await tellWatermark(fitting, agenda, run) : fitting;
    const { state, rates } = conclusion;
    if ((await saveState(conclusion, previous, run)) === 'committed') {
      if (rates !== null) await ports.store.saveChangeRates?.(feed, rates);
      return { complete, baselined: isBaselined(state), state };
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
  addDroppedCommit(findings);
  addDiscarded(findings, { slices: [], reason: STATE_CONFLICT });
  const { state } = previous;
  return { complete: false, baselined: isBaselined(state), state };
}

/**
 * An event about the watching that subscribers could not read is a fault of ours, of no record: it is logged, and the
 * others go out without a gap in their sequence.
 */
function dropMisfits(conclusion: PollConclusion, { feed, ports }: PollRun): PollConclusion {
  const { state, operations } = conclusion;
  const { epoch } = state;
  const fitting = operations.filter((operation) => {
    const issues = findIssues(
      toOperationText(operation, feed, { epoch, sequence: 1, now: ports.clock.now() }),
    );
    if (issues.length === 0) return true;
    const line = { outcome: 'event.misfit', ...feed, type: operation.type, issues: issues.join(', ') };
    ports.telemetry.report(line);
    return false;
  });
  const sequence = state.sequence - (operations.length - fitting.length);
  return { ...conclusion, operations: fitting, state: { ...state, sequence } };
}

function isBaselined({ baseline }: FeedState): boolean {
  return baseline?.completedAt != null;
}

/** Saves the state with its operational events in one transaction, and publishes these. */
async function saveState(
  { watermark, ...summary }: PollSummary & Pick<FeedStateWrite, 'watermark'>,
  previous: StoredState,
  run: PollRun,
): Promise<CommitOutcome> {
  const { feed, ports, retentionMs, memory } = run;
  const now = ports.clock.now();
  const { write, texts } = planStateWrite(summary, previous, {
    ...{ feed, retentionMs, runId: run.id, now, committedAt: memory.commitClock.next(now) },
  });
  const outcome = await ports.store.saveFeedState(watermark === undefined ? write : { ...write, watermark });
  if (outcome === 'conflict') return outcome;
  await clearUnpublishable(run);
  if (write.events === null) return outcome;
  const entries = [{ slice: null, pointer: toBatchPointer(write.events) }];
  await publishOwnEvents({ entries, texts }, run);
  return outcome;
}

/** What a poll answers, its one wide line, and how soon what it published was found. */
export function reportPoll(
  { complete, baselined, state, followUpAt }: FinishedPoll & { readonly followUpAt: number | null },
  { id, feed, ports, startedAt, memory, repeatUntil }: PollRun,
  published: PublishedEvents,
): PollReport {
  ports.measureDelays?.(feed.feed, published.delays);
  const { findings } = memory;
  const { requests, throttled } = ports.source.counts();
  const publishFailed = countFailedEvents(findings.publishFailures);
  const report: PollReport = {
    ...feed,
    outcome: findings.credentialRejected ? 'refused' : complete ? 'complete' : 'incomplete',
    remainingSlices: findings.remainingSlices,
    reasons: [...findings.reasons],
    ...describeWait(findings, ports),
    ...(followUpAt === null ? {} : { followUp: { at: followUpAt, until: repeatUntil } }),
    ...(findings.heldClosings === 0 ? {} : { heldClosings: findings.heldClosings }),
    baselined,
    counts: { ...findings.counts, requests, throttled, ...(publishFailed === 0 ? {} : { publishFailed }) },
  };
  ports.telemetry.report({
    outcome: 'poll.completed',
    ...feed,
    run: id,
    result: report.outcome,
    reason: report.reasons[0] ?? null,
    reasons: report.reasons.length,
    remainingSlices: report.remainingSlices,
    ...report.counts,
    ...published.counts,
    worstLateSeconds: worstLateSeconds(state),
    doubtfulSlices: countDoubtful(state),
    credentialRefused: findings.credentialRejected ? 1 : 0,
    publishFailed,
    duration_ms: ports.clock.now() - startedAt,
  });
  return report;
}

/** Slices that the source fails to list, once that was told, and those that come in another form. */
function countDoubtful({ failing, formChanged }: FeedState): number {
  const told = Object.entries(failing).flatMap(([slice, { told }]) => (told ? [slice] : []));
  return new Set([...told, ...(formChanged?.slices ?? [])]).size;
}

/** How long the source wants no request, when it ended the poll by that. */
function describeWait(
  { throttled }: Pick<PollFindings, 'throttled'>,
  { source, clock }: PollRun['ports'],
): Pick<PollReport, 'retryInMs'> {
  const retryInMs = (source.learnedPace?.()?.blockedUntil ?? 0) - clock.now();
  return throttled && retryInMs > 0 ? { retryInMs } : {};
}

/** How long the most overdue date has been waiting for a complete scan. */
function worstLateSeconds({ lag }: FeedState): number {
  return Math.round(Math.max(0, ...lag.worst.map(({ lateMs }) => lateMs)) / 1_000);
}

/** Why a poll does not start, in its line and in its report. */
const UNSTARTED = {
  overdue: { outcome: 'skipped', line: 'overdue', reason: 'the time of this follow-up is over' },
  leased: {
    outcome: 'skipped',
    line: 'another poll holds the lease',
    reason: 'another poll of this feed holds the lease',
  },
  table_unknown: {
    outcome: 'incomplete',
    line: 'table_unknown',
    reason:
      'the id of the table cannot be read (DescribeTable), so it may be a restored one: nothing is committed, the next poll tries again',
  },
} as const;

/** The report of a poll in which nothing was asked, committed or published. */
export function reportUnstarted(
  cause: keyof typeof UNSTARTED,
  input: PollInput,
  ports: PollPorts,
): PollReport {
  const feed = toFeedKey(input);
  const { outcome, line, reason } = UNSTARTED[cause];
  ports.telemetry.report({ outcome: 'poll.skipped', ...feed, reason: line });
  return {
    ...feed,
    outcome,
    remainingSlices: 0,
    reasons: [reason],
    ...(cause === 'leased' ? planReturn(input, ports) : {}),
    baselined: false,
    counts: { ...new PollFindings().counts, requests: 0, throttled: 0 },
  };
}

/** A poll that ends late was to read hot dates in this minute as well: a follow-up makes up for what it no longer does. */
function planReturn({ request }: PollInput, { clock }: PollPorts): Pick<PollReport, 'followUp'> {
  const now = clock.now();
  const at = now + WAITS.leasedDates.firstMs;
  const until = findRepeatEnd(now, request);
  return at < until ? { followUp: { at, until } } : {};
}
