import { hash } from 'node:crypto';
import { toIso } from '../dates.ts';
import { type ShortEventType, sourceOf, toEventType } from '../event-types.ts';
import type { FeedKey } from '../feeds.ts';
import { toQueueSafeJson } from '../queue-safe-json.ts';
import type { Operation } from '../records/operation.ts';
import type { FeedPosition } from './event-order.ts';

/** Version of the shape of `data`; part of `dataschema`. Only additions keep it. */
const SCHEMA_VERSION = 1;
/** Digits of an event's id: 128 bits, which is the size of a trace id as well. */
const ID_DIGITS = 32;
const PARENT_DIGITS = 16;

/** What differs between events. The rest of the envelope follows from it. */
export interface EventContents {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly source: string;
  readonly type: ShortEventType;
  readonly subject?: string | null;
  /** RFC 3339. */
  readonly time: string;
  readonly connection: string;
  readonly epoch?: string;
  readonly sequence: number;
  readonly data: object;
}

/** A CloudEvent 1.0 as JSON. */
export function toEventText({ id, source, type, subject = null, ...contents }: EventContents): string {
  const { time, connection, epoch, sequence, data } = contents;
  return toQueueSafeJson({
    specversion: '1.0',
    id,
    source,
    type: toEventType(type),
    ...(subject === null ? {} : { subject }),
    time,
    datacontenttype: 'application/json',
    dataschema: toDataSchemaUri(type),
    connection,
    ...(epoch === undefined ? {} : { epoch }),
    sequence,
    partitionkey: toPartitionKey(source, subject),
    traceparent: toTraceParent(id),
    data,
  });
}

/** What a stream or queue partitions by, so that the events of a record stay in order. */
export function toPartitionKey(source: string, subject: string | null): string {
  return subject === null ? source : `${source}/${subject}`;
}

/**
 * The trace that an event begins (W3C Trace Context): its id is that of the event, so that one that is sent again
 * belongs to the same trace, and every line of our logs that names the event names its trace.
 */
export function toTraceParent(eventId: string): string {
  return `00-${eventId}-${eventId.slice(-PARENT_DIGITS)}-01`;
}

/**
 * Event ids are computed (rule 4): 128 bits of a hash of connection, feed, record, epoch and sequence, so that every
 * poll gives the same event the same id.
 */
export function computeEventId(feed: FeedKey, recordId: string, { epoch, sequence }: FeedPosition): string {
  return hashToEventId([feed.connection, feed.feed, recordId, epoch, sequence]);
}

/** The id of an event that nothing but these values distinguishes from others. */
export function hashToEventId(values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values), 'hex').slice(0, ID_DIGITS);
}

/** A position in the form that events have. `epoch` in milliseconds since 1970. */
export function toPosition({
  epoch,
  sequence,
}: {
  readonly epoch: number;
  readonly sequence: number;
}): FeedPosition {
  return { epoch: toIso(epoch), sequence };
}

/** The URI of the JSON Schema of an event's `data`. */
export function toDataSchemaUri(type: ShortEventType): string {
  return `urn:workforce-change-notifier:schema:${type}:${SCHEMA_VERSION}`;
}

/** In place of a record's id, so that the ids of operational events differ from all others. */
export const OPERATIONS = '#operations';

/** Position of an operational event, and its time. `epoch` and `now` in milliseconds since 1970. */
interface OperationPosition {
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
