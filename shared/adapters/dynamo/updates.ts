import { type Update, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type Item, toAttributes, type Values } from './attributes.ts';
import type { ItemCondition } from './conditions.ts';
import { type Key, toKeyAttributes } from './keys.ts';
import type { Table } from './table.ts';

/** An update as DynamoDB takes it, but for the name of the table. */
export type UpdateInput = Omit<Update, 'TableName'>;

export interface ItemUpdate {
  readonly key: Key;
  /** Attributes to set; an undefined value is removed from the item. */
  readonly values: Values;
  readonly condition: ItemCondition;
}

/** Builds an update of some attributes of an item. */
export function buildUpdate({ key, values, condition }: ItemUpdate): UpdateInput {
  const kept = Object.keys(values).filter((name) => values[name] !== undefined);
  const removed = Object.keys(values).filter((name) => values[name] === undefined);
  const set = `SET ${kept.map((name) => `#${name} = :${name}`).join(', ')}`;
  const remove = removed.length === 0 ? '' : ` REMOVE ${removed.map((name) => `#${name}`).join(', ')}`;
  return {
    Key: toKeyAttributes(key),
    ...condition,
    UpdateExpression: set + remove,
    ExpressionAttributeNames: {
      ...Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
      ...condition.ExpressionAttributeNames,
    },
    ExpressionAttributeValues: {
      ...toAttributes(Object.fromEntries(kept.map((name) => [`:${name}`, values[name]]))),
      ...condition.ExpressionAttributeValues,
    },
  };
}

/** Updates one item if its condition holds, and returns it; null when the condition does not hold. */
export async function updateItem(table: Table, operation: string, update: UpdateInput): Promise<Item | null> {
  const result = await table.attempt({
    operation,
    kind: 'write',
    retryOnContention: true,
    send: (client) =>
      client.send(new UpdateItemCommand({ ...table.settings, ...update, ReturnValues: 'ALL_NEW' })),
  });
  return result.outcome === 'done' ? (result.output.Attributes ?? {}) : null;
}
