import type { Update } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../config/table.ts';
import { ATTRIBUTE, toAttributes, type Values } from './attributes.ts';
import { type Key, keyAttributes } from './keys.ts';

/** The item must not be there yet: two first looks at the same time, and only one may install its snapshot. */
const MUST_NOT_EXIST = `attribute_not_exists(${TABLE.partitionKey})`;
/** Nobody wrote the item since we read it (rule 1 of the protocol). */
const UNCHANGED = `#${ATTRIBUTE.revision} = :expectedRevision`;
/** Or it was this very write, whose answer got lost on the way. */
const OR_THIS_WRITE = ` OR #${ATTRIBUTE.token} = :${ATTRIBUTE.token}`;

export interface ItemUpdate {
  readonly key: Key;
  /** Everything the item holds besides its outbox. What is undefined is removed from it. */
  readonly values: Values;
  /** Added to the outbox, which is never overwritten: pointers come and go while others write. */
  readonly pointer: string | null;
  /** Null when the item must not be there yet. */
  readonly expectedRevision: number | null;
}

/** An update that replaces an item but for its outbox, if nobody wrote it since it was read. */
export function buildUpdate({ key, values, pointer, expectedRevision }: ItemUpdate): Omit<
  Update,
  'TableName'
> & {
  UpdateExpression: string;
} {
  const kept = Object.keys(values).filter((name) => values[name] !== undefined);
  const removed = Object.keys(values).filter((name) => values[name] === undefined);
  const hasToken = values[ATTRIBUTE.token] !== undefined;
  const expressions = [
    `SET ${kept.map((name) => `#${name} = :${name}`).join(', ')}`,
    removed.length === 0 ? '' : `REMOVE ${removed.map((name) => `#${name}`).join(', ')}`,
    pointer === null ? '' : 'ADD #outbox :pointers',
  ];
  return {
    Key: keyAttributes(key),
    UpdateExpression: expressions.filter((expression) => expression !== '').join(' '),
    ConditionExpression:
      (expectedRevision === null ? MUST_NOT_EXIST : UNCHANGED) + (hasToken ? OR_THIS_WRITE : ''),
    ExpressionAttributeNames: {
      ...Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
      ...(pointer === null ? {} : { '#outbox': ATTRIBUTE.outbox }),
    },
    ExpressionAttributeValues: {
      ...toAttributes(Object.fromEntries(kept.map((name) => [`:${name}`, values[name]]))),
      ...(expectedRevision === null ? {} : { ':expectedRevision': { N: String(expectedRevision) } }),
      ...(pointer === null ? {} : { ':pointers': { SS: [pointer] } }),
    },
  };
}
