import type { NamedKind } from '#shared/core/names/names.ts';
import type { LeafRef } from '#shared/core/snapshot/snapshot.ts';
import { TABLE } from '../../config/table.ts';
import type { FeedKey } from '../../core/feeds.ts';

/**
 * Where things are in the one table. A connection's name is `[a-z][a-z0-9-]*`, a slice is a date or `all`, so
 * neither holds the `#` that parts the keys.
 *
 * | Partition key | Sort key | Item |
 * |---|---|---|
 * | `{connection}#{feed}` | `state` | state of the feed, with its outbox |
 * | `{connection}#{feed}` | `lease`, `lease#hot` | who polls now; who looks at the hot dates meanwhile |
 * | `{connection}#{feed}` | `rates` | what was learned of when changes come |
 * | `{connection}#{feed}#heads` | `{slice}` | head of a slice, with its outbox |
 * | `{connection}#{feed}#heads` | `{slice}#{page}` | leaf digests that do not fit the head, right after it |
 * | `{connection}#{feed}#leaves#{slice}` | `{generation}#{index}` | a leaf |
 * | `{connection}#{feed}#events#{date}` | `{batch}#{chunk}` | events committed on that date (UTC), until they expire |
 * | `{connection}#directory` | `{kind}` | which names of a kind are the current ones, until they expire |
 * | `{connection}#directory` | `{kind}#{revision}-{hash}#{chunk}` | names by id, until they expire |
 * | `{connection}#processing` | `{pay period}` | whether its timesheets are all processed |
 * | `alerts#{channel}` | `revision` | times that messages were sealed |
 * | `alerts#{channel}` | `sealed#{message}` | a message that is not known to be sent |
 * | `alerts#{channel}` | `waiting#{urgent first}#{instant}#{sequence}#{id}` | an alert that waits |
 * | `deliveries#{event}` | `{destination}` | what became of an event, alert or message on its way there |
 * | `webhook#{webhook}` | `disabled` | the address that is disabled |
 * | `webhook#{webhook}` | `cursor#{record}#{epoch}` | last event of a record's epoch that the webhook took |
 */
export interface Key {
  readonly partition: string;
  readonly sort: string;
}

/** Above every page of a slice and below the next slice: `~` is the last printable character. */
const AFTER_PAGES = '~';
const PAGE_DIGITS = 4;
const DATE_LENGTH = 'YYYY-MM-DD'.length;

export function stateKey(feed: FeedKey): Key {
  return { partition: feedPartition(feed), sort: 'state' };
}

/** The lease of the whole feed, or that of its hot dates alone. */
export function leaseKey(feed: FeedKey, dates?: 'hot'): Key {
  return { partition: feedPartition(feed), sort: dates === undefined ? 'lease' : `lease#${dates}` };
}

export function ratesKey(feed: FeedKey): Key {
  return { partition: feedPartition(feed), sort: 'rates' };
}

export function headsPartition(feed: FeedKey): string {
  return `${feedPartition(feed)}#heads`;
}

export function headKey(feed: FeedKey, slice: string): Key {
  return { partition: headsPartition(feed), sort: slice };
}

export function pageKey(feed: FeedKey, slice: string, page: number): Key {
  return { partition: headsPartition(feed), sort: `${slice}#${String(page).padStart(PAGE_DIGITS, '0')}` };
}

/** The last sort key that belongs to a slice. */
export function endOfSlice(slice: string): string {
  return `${slice}#${AFTER_PAGES}`;
}

/** What a sort key under the heads stands for; `page` is null for the head itself. */
export function readHeadSort(sort: string): { readonly slice: string; readonly page: number | null } {
  const [slice = '', page] = sort.split('#');
  return { slice, page: page === undefined ? null : Number(page) };
}

export function leafKeyOf(feed: FeedKey, { slice, generation, index }: LeafRef): Key {
  return { partition: `${feedPartition(feed)}#leaves#${slice}`, sort: `${generation}#${index}` };
}

/** Where the events are that were committed on a date (UTC). */
export function eventsPartition(feed: FeedKey, date: string): string {
  return `${feedPartition(feed)}#events#${date}`;
}

/** What the sort key of an event item says. */
export function readEventSort(sort: string): { readonly batchKey: string; readonly chunk: number } {
  const end = sort.lastIndexOf('#');
  return { batchKey: sort.slice(0, end), chunk: Number(sort.slice(end + 1)) };
}

/** The keys of a batch's chunks. Its key begins with the instant of the commit. */
export function eventKeys(feed: FeedKey, batchKey: string, chunks: number): Key[] {
  const partition = eventsPartition(feed, batchKey.slice(0, DATE_LENGTH));
  return Array.from({ length: chunks }, (_, chunk) => ({ partition, sort: `${batchKey}#${chunk}` }));
}

/** A pointer of an outbox: the batch's key and its number of chunks. */
export function readPointer(pointer: string): { readonly batchKey: string; readonly chunks: number } {
  const end = pointer.lastIndexOf('/');
  return { batchKey: pointer.slice(0, end), chunks: Number(pointer.slice(end + 1)) };
}

export function deliveriesPartition(eventId: string): string {
  return `deliveries#${eventId}`;
}

export function deliveryKey(eventId: string, destination: string): Key {
  return { partition: deliveriesPartition(eventId), sort: destination };
}

export function disabledKey(webhook: string): Key {
  return { partition: webhookPartition(webhook), sort: 'disabled' };
}

export function cursorKey(webhook: string, record: string): Key {
  return { partition: webhookPartition(webhook), sort: `cursor#${record}` };
}

export function directoryPartition(connection: string): string {
  return `${connection}#directory`;
}

/** The key of what tells the current names of a kind. */
export function directoryKey(connection: string, kind: NamedKind): Key {
  return { partition: directoryPartition(connection), sort: kind };
}

export interface DirectoryGeneration {
  readonly connection: string;
  readonly kind: NamedKind;
  readonly generation: string;
}

/** The keys of a generation's chunks. */
export function directoryChunkKeys(of: DirectoryGeneration, chunks: number): Key[] {
  const partition = directoryPartition(of.connection);
  return Array.from({ length: chunks }, (_, chunk) => ({
    partition,
    sort: `${of.kind}#${of.generation}#${chunk}`,
  }));
}

/** The key as attributes of an item. */
export function keyAttributes({ partition, sort }: Key) {
  return { [TABLE.partitionKey]: { S: partition }, [TABLE.sortKey]: { S: sort } };
}

function feedPartition({ connection, feed }: FeedKey): string {
  return `${connection}#${feed}`;
}

function webhookPartition(webhook: string): string {
  return `webhook#${webhook}`;
}
