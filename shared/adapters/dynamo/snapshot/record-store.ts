import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { ItemReader } from '../batches.ts';
import { getItem } from '../items.ts';
import { toHeadsPartition, toLastPageSort, toStateKey } from '../keys.ts';
import { type ItemQuery, queryItems } from '../queries.ts';
import type { Table } from '../table.ts';
import { type ReadHeads, readHeadItems } from './head-items.ts';
import { readLeaves } from './leaves.ts';
import { loadMembership } from './membership.ts';
import { readStateItem } from './state-items.ts';

/** The part of the snapshot store that reads what polls committed. */
type RecordStore = Pick<SnapshotStore, 'loadFeedState' | 'loadHeads' | 'readLeaves' | 'loadMembership'>;

export function readRecordsOf(
  table: Table,
  read: ItemReader = (operation, key) => getItem(table, operation, key),
): RecordStore {
  return {
    loadHeads: (feed, fromSlice) => loadHeads(table, feed, fromSlice),
    readLeaves: (feed, refs) => readLeaves(table, feed, refs),
    loadMembership: (connection) => loadMembership(table, connection),
    async loadFeedState(feed) {
      const item = await read('loadFeedState', toStateKey(feed));
      return item === null ? null : readStateItem(item);
    },
  };
}

/** Reads of a slice whose digest pages do not belong to its head: each time a commit came in between. */
const MAX_READS = 5;

/**
 * Loads the heads from a slice on (from '' all), with their digests, in order of their slices. Throws `NotifierError`
 * `store_head_torn` (retryable) when the pages of one never belong to its head.
 */
async function loadHeads(table: Table, feed: FeedKey, fromSlice: string): Promise<SliceHead[]> {
  // DynamoDB refuses an empty text as a key.
  const { heads, torn } = await readHeads(table, feed, fromSlice === '' ? {} : { from: fromSlice });
  if (torn.length === 0) return heads;
  for (const slice of torn) heads.push(...(await reloadHead(table, feed, slice)));
  return heads.sort((a, b) => (a.slice < b.slice ? -1 : 1));
}

async function reloadHead(table: Table, feed: FeedKey, slice: string): Promise<SliceHead[]> {
  for (let reads = 1; reads <= MAX_READS; reads += 1) {
    const { heads, torn } = await readHeads(table, feed, { from: slice, to: toLastPageSort(slice) });
    if (torn.length === 0) return heads;
  }
  throw new NotifierError(
    'store_head_torn',
    `the digest pages of slice ${slice} do not belong to its head after ${MAX_READS} reads; if this continues, delete the head of the slice, which is then read as new`,
    { retryable: true },
  );
}

async function readHeads(
  table: Table,
  feed: FeedKey,
  range: Pick<ItemQuery, 'from' | 'to'>,
): Promise<ReadHeads> {
  const partition = toHeadsPartition(feed);
  return readHeadItems(await queryItems(table, { operation: 'loadHeads', partition, ...range }));
}
