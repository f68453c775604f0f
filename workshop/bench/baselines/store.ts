import {
  BatchGetItemCommand,
  type DynamoDBClient,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';

/** Texts by key. */
export interface BaselineStore {
  /** May return more than the requested keys. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** In as few requests as possible. */
  write(items: ReadonlyMap<string, string>): Promise<void>;
}

/** Costs nothing, so that only the work between page and store is measured. */
export function createMemoryStore(): BaselineStore {
  const kept = new Map<string, string>();
  return {
    read: () => Promise.resolve(kept),
    write: (items) => {
      for (const [key, text] of items) kept.set(key, text);
      return Promise.resolve();
    },
  };
}

const MAX_ITEMS = 100;

/** One item per key in DynamoDB, written in transactions. */
export function createDynamoStore(client: DynamoDBClient, tableName: string): BaselineStore {
  const keyOf = (key: string) => ({ [TABLE.partitionKey]: { S: key }, [TABLE.sortKey]: { S: 'item' } });
  return {
    async read(keys) {
      const found = new Map<string, string>();
      for (const chunk of splitIntoChunks(keys, MAX_ITEMS)) {
        const answer = await client.send(
          new BatchGetItemCommand({
            RequestItems: { [tableName]: { Keys: chunk.map(keyOf), ConsistentRead: true } },
          }),
        );
        for (const item of answer.Responses?.[tableName] ?? [])
          found.set(item[TABLE.partitionKey]?.S ?? '', item.text?.S ?? '');
      }
      return found;
    },
    async write(items) {
      for (const chunk of splitIntoChunks([...items], MAX_ITEMS)) {
        await client.send(
          new TransactWriteItemsCommand({
            TransactItems: chunk.map(([key, text]) => ({
              Put: { TableName: tableName, Item: { ...keyOf(key), text: { S: text } } },
            })),
          }),
        );
      }
    },
  };
}

export function splitIntoChunks<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}
