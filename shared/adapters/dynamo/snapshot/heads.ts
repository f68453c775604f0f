import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { Item } from '../attributes.ts';
import { endOfSlice, headsPartition } from '../keys.ts';
import type { Table } from '../table.ts';
import { readHeadItems } from './head-items.ts';

/** Which of a feed's heads: all of the partition, all from a slice on, or those of one slice. */
const ALL_HEADS = `${TABLE.partitionKey} = :partition`;
const HEADS_FROM = `${ALL_HEADS} AND ${TABLE.sortKey} >= :from`;
const HEADS_BETWEEN = `${ALL_HEADS} AND ${TABLE.sortKey} BETWEEN :from AND :to`;

/** Looks at a slice whose pages did not fit its head: each is a commit that came in between. */
const MAX_READS = 5;

interface Span {
  readonly from: string;
  readonly to?: string;
}

/** Heads from a slice on, with their digests, in order of their slices. */
export async function loadHeads(table: Table, feed: FeedKey, fromSlice: string): Promise<SliceHead[]> {
  const { heads, torn } = readHeadItems(await query(table, feed, { from: fromSlice }));
  if (torn.length === 0) return heads;
  for (const slice of torn) heads.push(...(await loadTornHead(table, feed, slice)));
  return heads.sort((a, b) => (a.slice < b.slice ? -1 : 1));
}

async function loadTornHead(table: Table, feed: FeedKey, slice: string): Promise<SliceHead[]> {
  for (let looks = 1; looks <= MAX_READS; looks += 1) {
    const items = await query(table, feed, { from: slice, to: endOfSlice(slice) });
    const { heads, torn } = readHeadItems(items);
    if (torn.length === 0) return heads;
  }
  throw new NotifierError(
    'store_head_torn',
    `the digest pages of slice ${slice} do not fit its head after ${MAX_READS} looks; if this goes on, delete the slice's head to take it over anew`,
    { retryable: true },
  );
}

async function query(table: Table, feed: FeedKey, span: Span): Promise<Item[]> {
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const from: Item | undefined = start;
    const answer = await table.send({
      operation: 'loadHeads',
      kind: 'read',
      send: (client) =>
        client.send(
          new QueryCommand({
            ...table.settings,
            ...buildCondition(feed, span),
            ConsistentRead: true,
            ExclusiveStartKey: from,
          }),
        ),
    });
    items.push(...(answer.Items ?? []));
    start = answer.LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

function buildCondition(feed: FeedKey, { from, to }: Span) {
  const partition = { ':partition': { S: headsPartition(feed) } };
  // DynamoDB takes no empty text as a key.
  if (from === '') return { KeyConditionExpression: ALL_HEADS, ExpressionAttributeValues: partition };
  const values = { ...partition, ':from': { S: from } };
  if (to === undefined) return { KeyConditionExpression: HEADS_FROM, ExpressionAttributeValues: values };
  return {
    KeyConditionExpression: HEADS_BETWEEN,
    ExpressionAttributeValues: { ...values, ':to': { S: to } },
  };
}
