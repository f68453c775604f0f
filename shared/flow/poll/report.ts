import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { countFailedEvents } from '#shared/core/commit/publish-failures.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { NO_PROGRESS } from '#shared/core/outcome/poll-progress.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { Telemetry } from '#shared/flow/system.ts';
import type { FinishedPoll } from './finish-poll.ts';
import type { PollRun } from './poll-run.ts';
import type { PublishedCounts } from './publish/count-published.ts';

/** What a poll answers, and its one wide line. */
export function reportPoll(
  { progress, complete, baselined, state }: FinishedPoll,
  { feed, ports, startedAt, backlog }: PollRun,
  published: PublishedCounts,
): PollReport {
  const { requests, throttled } = ports.source.counts();
  const publishFailed = countFailedEvents(progress.publishFailures);
  const report: PollReport = {
    ...feed,
    outcome: progress.credentialRejected ? 'refused' : complete ? 'complete' : 'incomplete',
    remainingSlices: progress.remainingSlices,
    reasons: [...progress.reasons],
    ...describeWait(progress, ports),
    ...(progress.heldClosings === 0 ? {} : { heldClosings: progress.heldClosings }),
    baselined,
    counts: { ...progress.counts, requests, throttled, ...(publishFailed === 0 ? {} : { publishFailed }) },
  };
  ports.telemetry.report({
    outcome: 'poll.completed',
    ...feed,
    result: report.outcome,
    reason: report.reasons[0] ?? null,
    reasons: report.reasons.length,
    remainingSlices: report.remainingSlices,
    ...report.counts,
    // Batches of events that waited when the poll began.
    ...(backlog.length === 0 ? {} : { batchesFound: backlog.length }),
    ...published,
    worstLateSeconds: worstLateSeconds(state),
    unreadableSlices: Object.keys(state.failing).length,
    publishFailed,
    formChanged: progress.formChanges.length > 0 ? 1 : 0,
    duration_ms: ports.clock.now() - startedAt,
  });
  return report;
}

/** How long the source wants no request, when it ended the poll by that. */
function describeWait(
  { throttled }: FinishedPoll['progress'],
  { source, clock }: PollRun['ports'],
): Pick<PollReport, 'retryInMs'> {
  const retryInMs = (source.learnedPace?.()?.blockedUntil ?? 0) - clock.now();
  return throttled && retryInMs > 0 ? { retryInMs } : {};
}

/** How long the most overdue date has been waiting for a complete scan. */
function worstLateSeconds({ lag }: FeedState): number {
  return Math.round(Math.max(0, ...lag.worst.map(({ lateMs }) => lateMs)) / 1_000);
}

/** The report of a poll that found another one at work. */
export function reportSkipped(feed: FeedKey, telemetry: Telemetry): PollReport {
  telemetry.report({ outcome: 'poll.skipped', ...feed, reason: 'another poll holds the lease' });
  return describeUnstarted(feed, 'skipped', 'another poll of this feed holds the lease');
}

/** The report of a poll that could not read the id of its table: nothing was asked, committed or published. */
export function reportUnknownTable(feed: FeedKey, telemetry: Telemetry): PollReport {
  telemetry.report({ outcome: 'poll.skipped', ...feed, reason: 'table_unknown' });
  return describeUnstarted(
    feed,
    'incomplete',
    'the id of the table cannot be read (DescribeTable), so it may be a restored one: nothing is committed, the next poll tries again',
  );
}

function describeUnstarted(feed: FeedKey, outcome: PollReport['outcome'], reason: string): PollReport {
  return {
    ...feed,
    outcome,
    remainingSlices: 0,
    reasons: [reason],
    baselined: false,
    counts: { ...NO_PROGRESS.counts, requests: 0, throttled: 0 },
  };
}
