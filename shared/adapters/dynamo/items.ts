import {
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLE } from '../../config/table.ts';
import {
  ATTRIBUTE,
  FORMAT_VERSION,
  type Item,
  readItem,
  toAttributes,
  unreadableItemError,
} from './attributes.ts';
import { type Key, keyAttributes } from './keys.ts';
import type { Table } from './table.ts';

/** All items of a partition, those whose sort key begins alike, and those from one on. */
const ALL = `${TABLE.partitionKey} = :partition`;
const BEGINNING = `${ALL} AND begins_with(${TABLE.sortKey}, :start)`;
/** Those from a sort key on. */
const ONWARDS = `${ALL} AND ${TABLE.sortKey} >= :from`;

const jsonItemSchema = z.object({
  [ATTRIBUTE.version]: z.literal(FORMAT_VERSION),
  [ATTRIBUTE.body]: z.string(),
});

/** An item, read strongly consistent; null when there is none. */
export async function getItem(table: Table, operation: string, key: Key): Promise<Item | null> {
  const { Item } = await table.send({
    operation,
    kind: 'read',
    send: (client) =>
      client.send(new GetItemCommand({ ...table.settings, Key: keyAttributes(key), ConsistentRead: true })),
  });
  return Item ?? null;
}

export async function putItem(table: Table, operation: string, item: Item): Promise<void> {
  await table.send({
    operation,
    kind: 'write',
    send: (client) => client.send(new PutItemCommand({ ...table.settings, Item: item })),
  });
}

/** What must hold of the item that is there, in the words of DynamoDB. */
export type ItemCondition = Pick<
  PutItemCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** Writes an item if the condition holds, and says whether it did. */
export async function putItemIf(
  table: Table,
  operation: string,
  { item, condition }: { readonly item: Item; readonly condition: ItemCondition },
): Promise<boolean> {
  const { outcome } = await table.attempt({
    operation,
    kind: 'write',
    retryOnContention: true,
    send: (client) => client.send(new PutItemCommand({ ...table.settings, Item: item, ...condition })),
  });
  return outcome === 'done';
}

export async function deleteItem(table: Table, operation: string, key: Key): Promise<void> {
  await table.send({
    operation,
    kind: 'write',
    send: (client) => client.send(new DeleteItemCommand({ ...table.settings, Key: keyAttributes(key) })),
  });
}

export interface ItemQuery {
  readonly operation: string;
  readonly partition: string;
  /** What the sort keys begin with; all items of the partition without it. */
  readonly start?: string;
  /** The sort key to begin with; not together with `start`. */
  readonly from?: string;
}

/** Pages of items in order of their sort keys, read strongly consistent. Whoever has enough stops asking. */
export async function* queryPages(table: Table, query: ItemQuery): AsyncGenerator<readonly Item[], void> {
  let from: Item | undefined;
  do {
    const ExclusiveStartKey: Item | undefined = from;
    const answer = await table.send({
      operation: query.operation,
      kind: 'read',
      send: (client) =>
        client.send(
          new QueryCommand({
            ...table.settings,
            ...buildCondition(query),
            ConsistentRead: true,
            ExclusiveStartKey,
          }),
        ),
    });
    yield answer.Items ?? [];
    from = answer.LastEvaluatedKey;
  } while (from !== undefined);
}

export async function queryItems(table: Table, query: ItemQuery): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of queryPages(table, query)) items.push(...page);
  return items;
}

/** An item that holds one thing as JSON. `expiresAt` in milliseconds since 1970. */
export function toJsonItem(key: Key, value: object, expiresAt?: number): Item {
  return {
    ...keyAttributes(key),
    ...toAttributes({
      [ATTRIBUTE.version]: FORMAT_VERSION,
      [ATTRIBUTE.body]: JSON.stringify(value),
      [TABLE.timeToLive]: expiresAt === undefined ? undefined : Math.ceil(expiresAt / 1000),
    }),
  };
}

/** What an item of `toJsonItem` holds, checked. Throws `NotifierError` `store_item_unreadable`. */
export function readJsonItem<Schema extends z.ZodType>(schema: Schema, item: Item): z.output<Schema> {
  return checked(schema, item, readItem(jsonItemSchema, item)[ATTRIBUTE.body]);
}

/** JSON of an item, checked. Throws `NotifierError` `store_item_unreadable` without showing it. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  item: Item,
  text: string,
): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, code }) => `${path.join('.')}: ${code}`).join(', ');
  throw unreadableItemError(item, `its body has another shape, ${wrong}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON has none of the shapes that are asked for.
    return undefined;
  }
}

/** The sort key of an item. */
export function sortOf(item: Item): string {
  return item[TABLE.sortKey]?.S ?? '';
}

function buildCondition({ partition, start, from }: ItemQuery) {
  const values = { ':partition': { S: partition } };
  if (from !== undefined) {
    return {
      KeyConditionExpression: ONWARDS,
      ExpressionAttributeValues: { ...values, ':from': { S: from } },
    };
  }
  if (start === undefined) return { KeyConditionExpression: ALL, ExpressionAttributeValues: values };
  return {
    KeyConditionExpression: BEGINNING,
    ExpressionAttributeValues: { ...values, ':start': { S: start } },
  };
}
