import { isOperationType, isSnapshotType, toShortType } from '../shared/core/event-types.ts';
import { addIds, NO_EVENTS } from '../shared/core/events/watermark-contents.ts';
import type { WorkforceEvent } from './workforce-event.ts';

/** An event that was received: the members that a watermark counts by. */
export type ReceivedEvent = Pick<WorkforceEvent, 'id' | 'type' | 'source' | 'time'>;

export interface CheckedWatermark<Received extends ReceivedEvent> {
  /** Everything that the watermark counts has arrived. Also true of one that follows none, which counts nothing. */
  readonly complete: boolean;
  /** How many events did not arrive, at least. */
  readonly missing: number;
  /** What came behind it: to be checked with the next watermark of its feed. */
  readonly later: readonly Received[];
}

/**
 * Whether everything that a watermark counts has arrived. `received`: what came since the watermark before, in any order
 * and however often, with what the check of that one left as `later`; of other feeds, operations and snapshots do not
 * count. A queue may bring a watermark before the events that it counts: check again after some minutes before something
 * counts as lost.
 */
export function checkWatermark<Received extends ReceivedEvent>(
  received: Iterable<Received>,
  { source, time, data: { since, events } }: WorkforceEvent<'workforce.feed.complete'>,
): CheckedWatermark<Received> {
  const own = [...received].filter((event) => event.source === source && isCounted(event));
  const unique = [...new Map(own.map((event) => [event.id, event])).values()];
  const isLater = (event: Received) => toInstant(event.time) > toInstant(time);
  const later = unique.filter(isLater);
  if (since === null || events === null) return { complete: true, missing: 0, later };
  const counted = unique.filter((event) => !isLater(event));
  // An event that was seen before the watermark before is told late, or was sent again, and had been counted then.
  const isNew = (event: Received) => toInstant(event.time) > toInstant(since.at);
  const isAll = [counted, counted.filter(isNew)].some(
    (some) => some.length === events.count && sumOf(some) === events.digest,
  );
  const missing = isAll ? 0 : Math.max(1, events.count - counted.length);
  return { complete: isAll, missing, later };
}

/** Changes of records: watermarks count these. */
function isCounted({ type }: ReceivedEvent): boolean {
  return !isSnapshotType(type) && !isOperationType(toShortType(type));
}

function sumOf(events: readonly ReceivedEvent[]): string {
  return addIds(
    NO_EVENTS,
    events.map(({ id }) => id),
  );
}

function toInstant(time: string): number {
  return Date.parse(time);
}
