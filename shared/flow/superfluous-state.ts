import type { Conclusion } from '../core/commit/summarize-poll.ts';
import type { Agenda } from '../core/plan/agenda.ts';
import type { FeedState } from '../core/snapshot/feed-state.ts';
import { needsSaving } from '../core/state-saving.ts';
import type { Run } from './poll/poll-run.ts';

/** Whether nothing is lost when the state after a poll is not written. `stored`: the one before, as it was read. */
export function isSuperfluous(
  { state, operations }: Conclusion,
  stored: FeedState | null,
  { agenda, run, complete }: { readonly agenda: Agenda; readonly run: Run; readonly complete: boolean },
): boolean {
  const { tally, ports } = run;
  const { changes, eventsCommitted, conflicts } = tally.counts;
  const hasCommitted = changes + eventsCommitted + conflicts + tally.changesOn.size > 0;
  const isSmooth = complete && ports.source.counts().throttled === 0;
  return !needsSaving(stored, state, {
    now: ports.clock.now(),
    isUneventful: isSmooth && !hasCommitted && operations.length === 0,
    lookedAtAlways: new Set(
      agenda.due.flatMap(({ slice, class: dateClass }) => (dateClass === 'hot' ? [slice] : [])),
    ),
  });
}
