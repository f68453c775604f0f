import { hash } from 'node:crypto';
import { isoOf } from '../dates.ts';
import { eventType, sourceOf } from '../event-types.ts';
import type { FeedKey } from '../feeds.ts';
import { jsonText } from '../json-text.ts';
import type { Operation } from '../records/operation.ts';
import { dataSchemaOf, eventId, positionOf } from './events.ts';

/** Stands where a record's id would, so that the ids of operational events differ from all others. */
export const OPERATIONS = '#operations';

/** When an operation is told, and where among those of its feed. `epoch` in milliseconds since 1970. */
export interface OperationMoment {
  readonly epoch?: number | undefined;
  readonly sequence: number;
  readonly now: number;
}

/** The CloudEvent, as JSON, of an operation. Its sequence counts the operational events of the feed in its epoch. */
export function operationText(operation: Operation, feed: FeedKey, at: OperationMoment): string {
  const position = positionOf(at);
  return jsonText({
    specversion: '1.0',
    id: eventId(feed, OPERATIONS, position),
    source: sourceOf(feed.connection, feed.feed),
    type: eventType(operation.type),
    ...(operation.subject === null ? {} : { subject: operation.subject }),
    time: isoOf(at.now),
    datacontenttype: 'application/json',
    dataschema: dataSchemaOf(operation.type),
    connection: feed.connection,
    ...position,
    data: { feed: feed.feed, ...operation.data },
  });
}

/** A short mark by which a bad record is recognised for a day. */
export function markOf(id: string | null, issues: readonly string[]): string {
  return hash('sha256', JSON.stringify([id, id === null ? issues : []]), 'hex').slice(0, 12);
}
