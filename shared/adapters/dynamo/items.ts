import { DeleteItemCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { TABLE } from '../../config/table.ts';
import {
  ATTRIBUTE,
  describeIssues,
  FORMAT,
  type Item,
  readItem,
  toAttributes,
  unreadableItemError,
  type Values,
} from './attributes.ts';
import type { ItemCondition } from './conditions.ts';
import { type Key, toKeyAttributes } from './keys.ts';
import type { Table } from './table.ts';

/**
 * An item of the current format. `expiresAt`: milliseconds since 1970 after which DynamoDB may delete it; without it,
 * the item stays.
 */
export function toItem(key: Key, values: Values, expiresAt?: number): Item {
  return {
    ...toKeyAttributes(key),
    ...toAttributes({
      [ATTRIBUTE.format]: FORMAT,
      ...values,
      [TABLE.timeToLive]: expiresAt === undefined ? undefined : Math.ceil(expiresAt / 1000),
    }),
  };
}

export function readSortKey(item: Item): string {
  return item[TABLE.sortKey]?.S ?? '';
}

/** Reads an item, strongly consistent; null when there is none. */
export async function getItem(table: Table, operation: string, key: Key): Promise<Item | null> {
  const { Item } = await table.send({
    operation,
    kind: 'read',
    send: (client) =>
      client.send(new GetItemCommand({ ...table.settings, Key: toKeyAttributes(key), ConsistentRead: true })),
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

/** Writes an item if the condition holds, and returns whether it did. */
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
    send: (client) => client.send(new DeleteItemCommand({ ...table.settings, Key: toKeyAttributes(key) })),
  });
}

/** Deletes an item if the condition holds, and returns whether it did. */
export async function deleteItemIf(
  table: Table,
  operation: string,
  { key, condition }: { readonly key: Key; readonly condition: ItemCondition },
): Promise<boolean> {
  const { outcome } = await table.attempt({
    operation,
    kind: 'write',
    retryOnContention: true,
    send: (client) =>
      client.send(new DeleteItemCommand({ ...table.settings, Key: toKeyAttributes(key), ...condition })),
  });
  return outcome === 'done';
}

const jsonItemSchema = z.object({ [ATTRIBUTE.body]: z.string() });

/** An item whose body is JSON. `expiresAt`: milliseconds since 1970 after which DynamoDB may delete it. */
export function toJsonItem(key: Key, value: object, expiresAt?: number): Item {
  return toItem(key, { [ATTRIBUTE.body]: JSON.stringify(value) }, expiresAt);
}

/** Reads the body of an item of `toJsonItem`. Throws `NotifierError` `store_item_unreadable`. */
export function readJsonItem<Schema extends z.ZodType>(schema: Schema, item: Item): z.output<Schema> {
  return parseBody(schema, item, readItem(jsonItemSchema, item)[ATTRIBUTE.body]);
}

/** Parses JSON that an item holds. Throws `NotifierError` `store_item_unreadable`, without the contents. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  item: Item,
  text: string,
): z.output<Schema> {
  const parsed = schema.safeParse(parseJsonOrNull(text));
  if (parsed.success) return parsed.data;
  throw unreadableItemError(item, `its body has another shape, ${describeIssues(parsed.error)}`);
}
