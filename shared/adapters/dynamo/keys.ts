import type { CountKey } from '#shared/flow/poll/ports.ts';
import {
  INTERESTS_PARTITION,
  TABLE,
  toAnswersPartition,
  toCountsPartition,
  toDeliveryPartition,
  toHeadsPartition,
  toLogPartition,
  toStatePartition,
} from '../../config/table.ts';
import { nameSlice, type SliceKey } from '../../core/snapshot/head.ts';

/**
 * The keys of the one table. The name of a connection is `[a-z][a-z0-9-]*`, and a slice is a date or a word, so neither
 * contains the separator `#`.
 *
 * | Partition key | Sort key | Item |
 * |---|---|---|
 * | `{connection}#state` | `state` | lease, clock, cursors and what else the connection remembers |
 * | `{connection}#heads` | `{feed}#{slice}` | head of a slice |
 * | `{connection}#{feed}#{slice}` | `{lower bound}` | a bucket of rows |
 * | `{connection}#log` | `{clock}.{number}` | events of a commit, until they expire |
 * | `{connection}#counts` | `{pay period}#{name}#{chunk}` | timesheets of a pay period as it was told, until they expire |
 * | `{connection}#answers` | `{pay period}` | which of its timesheets the source says are whose, until they expire |
 * | `alerts#{channel}` | `revision` | how often messages were sealed |
 * | `alerts#{channel}` | `sealed#{message}` | a message that may not be sent yet |
 * | `alerts#{channel}` | `waiting#{urgent first}#{instant}#{id}` | an event that waits |
 * | `alerts#{channel}#threads` | `{connection}#{payPeriod}` | the first message of a thread in Slack, until it expires |
 * | `deliveries#{destination}#{event}` | `delivery` | the delivery of an event or message |
 * | `webhook#{webhook}` | `disabled` | the URL that is disabled |
 * | `webhook#{webhook}` | `accepted` | when it took an event, and its last long outage |
 * | `interests` | `{webhook}` | what a webhook wants, and since when |
 */
export interface Key {
  readonly partition: string;
  readonly sort: string;
}

/** Of a lower bound in hexadecimal. */
const BOUND_DIGITS = 8;

export function toStateKey(connection: string): Key {
  return { partition: toStatePartition(connection), sort: 'state' };
}

export function toHeadKey(connection: string, slice: SliceKey): Key {
  return { partition: toHeadsPartition(connection), sort: nameSlice(slice) };
}

export function toBucketKey(
  connection: string,
  { from, ...slice }: SliceKey & { readonly from: number },
): Key {
  const sort = from.toString(16).padStart(BOUND_DIGITS, '0');
  return { partition: `${connection}#${nameSlice(slice)}`, sort };
}

export function toLogItemKey(connection: string, sort: string): Key {
  return { partition: toLogPartition(connection), sort };
}

/** What the sort keys of the chunks of a count begin with. */
export function toCountPrefix({ connection, payPeriodId, name }: CountKey): Key {
  return { partition: toCountsPartition(connection), sort: `${payPeriodId}#${name}#` };
}

export function toCountChunkKey(key: CountKey, chunk: number): Key {
  const { partition, sort } = toCountPrefix(key);
  return { partition, sort: `${sort}${chunk}` };
}

/** Parses the number of a chunk of a count. */
export function parseCountChunk(sort: string): number {
  return Number(sort.slice(sort.lastIndexOf('#') + 1));
}

export function toDeliveryKey(eventId: string, destination: string): Key {
  return { partition: toDeliveryPartition(destination, eventId), sort: 'delivery' };
}

export function toDisabledKey(webhook: string): Key {
  return { partition: toWebhookPartition(webhook), sort: 'disabled' };
}

export function toAcceptanceKey(webhook: string): Key {
  return { partition: toWebhookPartition(webhook), sort: 'accepted' };
}

export function toInterestKey(webhook: string): Key {
  return { partition: INTERESTS_PARTITION, sort: webhook };
}

/** The key of what was answered about the members of a pay period. */
export function toAnswersKey(connection: string, payPeriodId: string): Key {
  return { partition: toAnswersPartition(connection), sort: payPeriodId };
}

export function toKeyAttributes({ partition, sort }: Key) {
  return { [TABLE.partitionKey]: { S: partition }, [TABLE.sortKey]: { S: sort } };
}

function toWebhookPartition(webhook: string): string {
  return `webhook#${webhook}`;
}
