import type { PollReport } from '../config/poll-report.ts';
import type { FeedState } from '../core/feed-state.ts';
import type { FeedKey } from '../core/feeds.ts';
import { countFailed } from '../core/publish-failures.ts';
import type { Telemetry } from '../ports.ts';
import type { Concluded } from './conclude-poll.ts';
import { emptyTally, type Run } from './run.ts';

/** What a poll answers, and its one wide line. */
export function reportOf(run: Run, { complete, baselined, state }: Concluded): PollReport {
  const { tally, feed, ports, startedAt } = run;
  const { requests, throttled } = ports.source.counts();
  const publishFailed = countFailed(tally.publishFailures);
  const report: PollReport = {
    ...feed,
    outcome: tally.refused ? 'refused' : complete ? 'complete' : 'incomplete',
    remainingSlices: tally.remainingSlices,
    reasons: [...tally.reasons],
    baselined,
    counts: { ...tally.counts, requests, throttled, ...(publishFailed === 0 ? {} : { publishFailed }) },
  };
  ports.telemetry.report({
    outcome: 'poll.completed',
    ...feed,
    result: report.outcome,
    reason: report.reasons[0] ?? null,
    reasons: report.reasons.length,
    remainingSlices: report.remainingSlices,
    ...report.counts,
    worstLateSeconds: worstLateSeconds(state),
    unreadableSlices: Object.keys(state.failing).length,
    publishFailed,
    formChanged: tally.formChanges.length > 0 ? 1 : 0,
    duration_ms: ports.clock.now() - startedAt,
  });
  return report;
}

/** How long the date that is owed most has been waiting for a whole look. */
function worstLateSeconds({ lag }: FeedState): number {
  return Math.round(Math.max(0, ...lag.worst.map(({ lateMs }) => lateMs)) / 1_000);
}

/** The report of a poll that found another one at work. */
export function skippedReport(feed: FeedKey, telemetry: Telemetry): PollReport {
  telemetry.report({ outcome: 'poll.skipped', ...feed, reason: 'another poll holds the lease' });
  return {
    ...feed,
    outcome: 'skipped',
    remainingSlices: 0,
    reasons: ['another poll of this feed holds the lease'],
    baselined: false,
    counts: emptyTally().counts,
  };
}
