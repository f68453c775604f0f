import type { LeafRef } from '#shared/core/snapshot/snapshot.ts';
import type { LedgerKey } from '#shared/flow/poll/ports.ts';
import {
  INTERESTS_PARTITION,
  TABLE,
  toDeliveryPartition,
  toMembershipPartition,
} from '../../config/table.ts';
import type { FeedKey } from '../../core/feeds.ts';

/**
 * The keys of the one table. The name of a connection is `[a-z][a-z0-9-]*`, and a slice is a date or a word, so neither
 * contains the separator `#`.
 *
 * | Partition key | Sort key | Item |
 * |---|---|---|
 * | `{connection}#{feed}` | `state` | state of the feed, with its outbox |
 * | `{connection}#{feed}` | `lease`, `lease#hot` | which poll runs now; which one scans the hot dates meanwhile |
 * | `{connection}#{feed}` | `rates` | when changes are expected |
 * | `{connection}#{feed}` | `watermark` | the last watermark, and the fence in front of it |
 * | `{connection}#{feed}#heads` | `{slice}` | head of a slice, with its outbox |
 * | `{connection}#{feed}#heads` | `{slice}#{page}` | a page of leaf digests that do not fit the head; sorts right after it |
 * | `{connection}#{feed}#leaves#{slice}` | `{generation}#{index}` | a leaf |
 * | `{connection}#{feed}#events#{date}` | `{batch}#{chunk}` | events committed on that date (UTC), until they expire |
 * | `{connection}#pay-periods#ledgers` | `{pay period}#{name}#{chunk}` | timesheets of a pay period at a count, until they expire |
 * | `{connection}#membership` | `00` to `15` | which pay calendar an employee belongs to, by hash of the employee |
 * | `alerts#{channel}` | `revision` | how often messages were sealed |
 * | `alerts#{channel}` | `sealed#{message}` | a message that may not be sent yet |
 * | `alerts#{channel}` | `waiting#{urgent first}#{instant}#{sequence}#{id}` | an alert that waits |
 * | `alerts#{event}` | `reverted` | hours of a timesheet when its processing was reverted by the event, until they expire |
 * | `alerts#{channel}#threads` | `{connection}#{payPeriod}` | the first message of a thread in Slack, until it expires |
 * | `deliveries#{destination}#{event}` | `delivery` | the delivery of an event, alert or message |
 * | `webhook#{webhook}` | `disabled` | the URL that is disabled |
 * | `webhook#{webhook}` | `accepted` | when it took an event, and its last long outage |
 * | `interests` | `{webhook}` | what a webhook wants, and since when |
 */
export interface Key {
  readonly partition: string;
  readonly sort: string;
}

/** Sorts after every page of a slice and before the next slice: `~` is the last printable character of ASCII. */
const AFTER_PAGES = '~';
const PAGE_DIGITS = 4;
export const DATE_LENGTH = 'YYYY-MM-DD'.length;

export function toStateKey(feed: FeedKey): Key {
  return { partition: toFeedPartition(feed), sort: 'state' };
}

/** The lease of the whole feed, or that of its hot dates alone. */
export function toLeaseKey(feed: FeedKey, dates?: 'hot'): Key {
  return { partition: toFeedPartition(feed), sort: dates === undefined ? 'lease' : `lease#${dates}` };
}

export function toRatesKey(feed: FeedKey): Key {
  return { partition: toFeedPartition(feed), sort: 'rates' };
}

export function toWatermarkKey(feed: FeedKey): Key {
  return { partition: toFeedPartition(feed), sort: 'watermark' };
}

export function toHeadsPartition(feed: FeedKey): string {
  return `${toFeedPartition(feed)}#heads`;
}

export function toHeadKey(feed: FeedKey, slice: string): Key {
  return { partition: toHeadsPartition(feed), sort: slice };
}

export function toPageKey(feed: FeedKey, slice: string, page: number): Key {
  return { partition: toHeadsPartition(feed), sort: `${slice}#${String(page).padStart(PAGE_DIGITS, '0')}` };
}

/** A sort key after the head of a slice and all of its pages. */
export function toLastPageSort(slice: string): string {
  return `${slice}#${AFTER_PAGES}`;
}

/** Parses a sort key of heads and pages; `page` is null for a head. */
export function parseHeadSort(sort: string): { readonly slice: string; readonly page: number | null } {
  const [slice = '', page] = sort.split('#');
  return { slice, page: page === undefined ? null : Number(page) };
}

export function toLeafItemKey(feed: FeedKey, { slice, generation, index }: LeafRef): Key {
  return { partition: `${toFeedPartition(feed)}#leaves#${slice}`, sort: `${generation}#${index}` };
}

/** The partition of the events that were committed on a date (UTC). */
export function toEventsPartition(feed: FeedKey, date: string): string {
  return `${toFeedPartition(feed)}#events#${date}`;
}

/** Parses the sort key of an event item. */
export function parseEventSort(sort: string): { readonly batchKey: string; readonly chunk: number } {
  const end = sort.lastIndexOf('#');
  return { batchKey: sort.slice(0, end), chunk: Number(sort.slice(end + 1)) };
}

/** The keys of the chunks of a batch, whose own key begins with the instant of its commit. */
export function toEventKeys(feed: FeedKey, batchKey: string, chunks: number): Key[] {
  const partition = toEventsPartition(feed, batchKey.slice(0, DATE_LENGTH));
  return Array.from({ length: chunks }, (_, chunk) => ({ partition, sort: `${batchKey}#${chunk}` }));
}

/** Parses a pointer of `toBatchPointer`. */
export function parsePointer(pointer: string): { readonly batchKey: string; readonly chunks: number } {
  const end = pointer.lastIndexOf('/');
  return { batchKey: pointer.slice(0, end), chunks: Number(pointer.slice(end + 1)) };
}

/** What the sort keys of the chunks of a ledger begin with. */
export function toLedgerPrefix({ connection, payPeriodId, name }: LedgerKey): Key {
  const partition = `${toFeedPartition({ connection, feed: 'pay-periods' })}#ledgers`;
  return { partition, sort: `${payPeriodId}#${name}#` };
}

export function toLedgerChunkKey(key: LedgerKey, chunk: number): Key {
  const { partition, sort } = toLedgerPrefix(key);
  return { partition, sort: `${sort}${chunk}` };
}

/** Parses the number of a chunk of a ledger. */
export function parseLedgerChunk(sort: string): number {
  return Number(sort.slice(sort.lastIndexOf('#') + 1));
}

export function toRevertedHoursKey(eventId: string): Key {
  return { partition: `alerts#${eventId}`, sort: 'reverted' };
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

/** The key of one of the rows that say who belongs to which calendar. */
export function toMembershipKey(connection: string, index: number): Key {
  return { partition: toMembershipPartition(connection), sort: String(index).padStart(2, '0') };
}

export function toKeyAttributes({ partition, sort }: Key) {
  return { [TABLE.partitionKey]: { S: partition }, [TABLE.sortKey]: { S: sort } };
}

function toFeedPartition({ connection, feed }: FeedKey): string {
  return `${connection}#${feed}`;
}

function toWebhookPartition(webhook: string): string {
  return `webhook#${webhook}`;
}
