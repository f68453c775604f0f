import { toIso } from '../dates.ts';
import { sourceOf } from '../event-types.ts';
import type { FeedKey } from '../feeds.ts';
import type { Operation } from '../records/operation.ts';
import { computeEventId, toEventText, toPosition } from './envelope.ts';

/** In place of a record's id, so that the ids of operational events differ from all others. */
export const OPERATIONS = '#operations';

/** Position of an operational event, and its time. `epoch` and `now` in milliseconds since 1970. */
export interface OperationPosition {
  readonly epoch: number;
  readonly sequence: number;
  readonly now: number;
}

/** The JSON of an operational event. Its sequence counts the operational events of the feed within the epoch. */
export function toOperationText(operation: Operation, feed: FeedKey, at: OperationPosition): string {
  const position = toPosition(at);
  return toEventText({
    id: computeEventId(feed, OPERATIONS, position),
    source: sourceOf(feed.connection, feed.feed),
    type: operation.type,
    subject: operation.subject,
    time: toIso(at.now),
    connection: feed.connection,
    ...position,
    data: { feed: feed.feed, ...operation.data },
  });
}
