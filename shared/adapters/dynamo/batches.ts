import { BatchGetItemCommand, BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../config/table.ts';
import type { Item } from './attributes.ts';
import { type Key, toKeyAttributes } from './keys.ts';
import type { Table } from './table.ts';

/** Bounds that DynamoDB sets to one batch. */
const MAX_BATCH_READS = 100;
const MAX_BATCH_WRITES = 25;

/** Reads items, strongly consistent, each once. The result is keyed by `toMapKey` and lacks what does not exist. */
export async function readItems(
  table: Table,
  operation: string,
  keys: readonly Key[],
): Promise<Map<string, Item>> {
  const { ReturnConsumedCapacity } = table.settings;
  const distinct = new Map(keys.map((key) => [toMapKey(key), toKeyAttributes(key)]));
  const items = new Map<string, Item>();
  await table.inBatches<readonly Item[]>(
    splitIntoChunks([...distinct.values()], MAX_BATCH_READS),
    async (batch) => {
      const RequestItems = { [table.name]: { Keys: [...batch], ConsistentRead: true } };
      const answer = await table.send({
        operation,
        kind: 'read',
        send: (client) => client.send(new BatchGetItemCommand({ ReturnConsumedCapacity, RequestItems })),
      });
      for (const item of answer.Responses?.[table.name] ?? []) items.set(itemToMapKey(item), item);
      const rest = answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
      return rest.length === 0 ? null : rest;
    },
  );
  return items;
}

/** Puts and deletes items in requests as full as DynamoDB takes them. Not a transaction. */
export async function writeBatches(
  table: Table,
  operation: string,
  requests: readonly WriteRequest[],
): Promise<void> {
  const { ReturnConsumedCapacity } = table.settings;
  await table.inBatches<readonly WriteRequest[]>(
    splitIntoChunks(requests, MAX_BATCH_WRITES),
    async (batch) => {
      const RequestItems = { [table.name]: [...batch] };
      const answer = await table.send({
        operation,
        kind: 'write',
        send: (client) => client.send(new BatchWriteItemCommand({ ReturnConsumedCapacity, RequestItems })),
      });
      const rest = answer.UnprocessedItems?.[table.name] ?? [];
      return rest.length === 0 ? null : rest;
    },
  );
}

export function toMapKey({ partition, sort }: Key): string {
  return `${partition}\n${sort}`;
}

function itemToMapKey(item: Item): string {
  return `${item[TABLE.partitionKey]?.S}\n${item[TABLE.sortKey]?.S}`;
}

function splitIntoChunks<Value>(values: readonly Value[], size: number): Value[][] {
  const chunks: Value[][] = [];
  for (let from = 0; from < values.length; from += size) chunks.push(values.slice(from, from + size));
  return chunks;
}
