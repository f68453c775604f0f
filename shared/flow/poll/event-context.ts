import type { EventContext } from '#shared/core/events/events.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { isSilent, type PollRun, tick } from './run.ts';

/** What the events of a feed depend on now. Pay periods are read for timesheets alone. */
export async function toEventContext(feed: FeedName, run: PollRun): Promise<EventContext> {
  const { lease, connection, memory } = run;
  return {
    feed: { connection: lease.connection, feed },
    definition: feedDefinition(feed),
    timeZone: connection.timeZone,
    findPeriods: feed === 'timesheets' ? await memory.periods.finder(memory) : () => null,
    clock: tick(run),
    restoredAt: memory.state.restoredAt,
    isSilent: isSilent(run, feed),
  };
}
