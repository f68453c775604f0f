import { BatchGetItemCommand, BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { createLeaf, type Leaf, type LeafRef } from '#shared/core/snapshot/snapshot.ts';
import type { Item } from '../attributes.ts';
import { type Key, keyAttributes, leafKeyOf } from '../keys.ts';
import type { Table } from '../table.ts';
import { readLeafItem, toLeafItem } from './leaf-items.ts';

/** Bounds that DynamoDB sets to one batch. */
const MAX_BATCH_READS = 100;
const MAX_BATCH_WRITES = 25;

/** Leaves in the order of the references; one that was never written is empty. */
export async function readLeaves(table: Table, feed: FeedKey, refs: readonly LeafRef[]): Promise<Leaf[]> {
  const keys = refs.map((ref) => leafKeyOf(feed, ref));
  const items = await readItems(table, 'readLeaves', keys);
  return refs.map((ref, index) => {
    const { slice, generation } = ref;
    const item = items.get(toMapKey(keys[index]));
    return item === undefined ? createLeaf({ slice, generation, index: ref.index }) : readLeafItem(item, ref);
  });
}

export async function writeGeneration(table: Table, feed: FeedKey, leaves: readonly Leaf[]): Promise<void> {
  const requests = leaves.map((leaf) => ({ PutRequest: { Item: toLeafItem(feed, leaf) } }));
  await writeBatches(table, 'writeGeneration', requests);
}

export async function deleteLeaves(table: Table, feed: FeedKey, refs: readonly LeafRef[]): Promise<void> {
  const requests = refs.map((ref) => ({ DeleteRequest: { Key: keyAttributes(leafKeyOf(feed, ref)) } }));
  await writeBatches(table, 'deleteLeaves', requests);
}

/** Items by the text of their keys, each asked for once. */
export async function readItems(
  table: Table,
  operation: string,
  keys: readonly Key[],
): Promise<Map<string, Item>> {
  const distinct = new Map(keys.map((key) => [toMapKey(key), keyAttributes(key)]));
  const items = new Map<string, Item>();
  await table.inParts<readonly Item[]>(
    splitIntoChunks([...distinct.values()], MAX_BATCH_READS),
    async (part) => {
      const answer = await table.send({
        operation,
        kind: 'read',
        send: (client) =>
          client.send(
            new BatchGetItemCommand({
              ReturnConsumedCapacity: table.settings.ReturnConsumedCapacity,
              RequestItems: { [table.name]: { Keys: [...part], ConsistentRead: true } },
            }),
          ),
      });
      for (const item of answer.Responses?.[table.name] ?? []) items.set(itemToMapKey(item), item);
      const rest = answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
      return rest.length === 0 ? null : rest;
    },
  );
  return items;
}

/** Puts and deletes, as many at once as DynamoDB takes. Not a transaction. */
export async function writeBatches(
  table: Table,
  operation: string,
  requests: readonly WriteRequest[],
): Promise<void> {
  await table.inParts<readonly WriteRequest[]>(splitIntoChunks(requests, MAX_BATCH_WRITES), async (part) => {
    const answer = await table.send({
      operation,
      kind: 'write',
      send: (client) =>
        client.send(
          new BatchWriteItemCommand({
            ReturnConsumedCapacity: table.settings.ReturnConsumedCapacity,
            RequestItems: { [table.name]: [...part] },
          }),
        ),
    });
    const rest = answer.UnprocessedItems?.[table.name] ?? [];
    return rest.length === 0 ? null : rest;
  });
}

/** A text that names a key, for maps. */
export function toMapKey(key: Key | undefined): string {
  return `${key?.partition}\n${key?.sort}`;
}

function itemToMapKey(item: Item): string {
  return `${item[TABLE.partitionKey]?.S}\n${item[TABLE.sortKey]?.S}`;
}

function splitIntoChunks<Value>(values: readonly Value[], size: number): Value[][] {
  const chunks: Value[][] = [];
  for (let from = 0; from < values.length; from += size) chunks.push(values.slice(from, from + size));
  return chunks;
}
