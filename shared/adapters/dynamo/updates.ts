import { type Update, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { CommitOutcome } from '../../core/commit/commit-step.ts';
import { ATTRIBUTE, FORMAT, toAttributes, type Values } from './attributes.ts';
import { expectRevision } from './conditions.ts';
import { type Key, toKeyAttributes } from './keys.ts';
import type { Table } from './table.ts';

/** Or the stored revision is this very write, repeated because its answer was lost. */
const OR_IS_THIS_WRITE = ` OR #${ATTRIBUTE.token} = :${ATTRIBUTE.token}`;

export interface ItemUpdate {
  readonly key: Key;
  /** Everything the item holds besides its outbox. An undefined value is removed from the item. */
  readonly values: Values;
  /** Added to the outbox, which is never overwritten: pointers come and go while others write. */
  readonly pointer: string | null;
  /** Null when the item must not exist yet. */
  readonly expectedRevision: number | null;
}

/** An update as DynamoDB takes it, but for the name of the table. */
export type UpdateInput = Omit<Update, 'TableName'>;

/** Builds an update that replaces all of an item but its outbox, if it still has the expected revision. */
export function buildUpdate({ key, values: own, pointer, expectedRevision }: ItemUpdate): UpdateInput {
  const values: Values = { [ATTRIBUTE.format]: FORMAT, ...own };
  const kept = Object.keys(values).filter((name) => values[name] !== undefined);
  const removed = Object.keys(values).filter((name) => values[name] === undefined);
  const hasToken = values[ATTRIBUTE.token] !== undefined;
  const condition = expectRevision(expectedRevision);
  const expressions = [
    `SET ${kept.map((name) => `#${name} = :${name}`).join(', ')}`,
    removed.length === 0 ? '' : `REMOVE ${removed.map((name) => `#${name}`).join(', ')}`,
    pointer === null ? '' : 'ADD #outbox :pointers',
  ];
  return {
    Key: toKeyAttributes(key),
    UpdateExpression: expressions.filter((expression) => expression !== '').join(' '),
    ConditionExpression: condition.ConditionExpression + (hasToken ? OR_IS_THIS_WRITE : ''),
    ExpressionAttributeNames: {
      ...Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
      ...condition.ExpressionAttributeNames,
      ...(pointer === null ? {} : { '#outbox': ATTRIBUTE.outbox }),
    },
    ExpressionAttributeValues: {
      ...toAttributes(Object.fromEntries(kept.map((name) => [`:${name}`, values[name]]))),
      ...condition.ExpressionAttributeValues,
      ...(pointer === null ? {} : { ':pointers': { SS: [pointer] } }),
    },
  };
}

/** Updates one item, for half the price of a transaction. */
export async function updateItem(
  table: Table,
  operation: string,
  update: UpdateInput,
): Promise<CommitOutcome> {
  const { outcome } = await table.attempt({
    operation,
    kind: 'write',
    send: (client) => client.send(new UpdateItemCommand({ ...table.settings, ...update })),
  });
  return outcome === 'done' ? 'committed' : 'conflict';
}
