import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../config/table.ts';
import { type Item, toAttributes } from './attributes.ts';
import type { Table } from './table.ts';

/** All items of a partition, or those whose sort keys lie in a range. */
const ALL = `${TABLE.partitionKey} = :partition`;
const WITH_PREFIX = `${ALL} AND begins_with(${TABLE.sortKey}, :prefix)`;
const AFTER = `${ALL} AND ${TABLE.sortKey} > :after`;

export interface ItemQuery {
  readonly operation: string;
  readonly partition: string;
  /** What the sort keys begin with; not together with `after`. */
  readonly prefix?: string;
  /** A sort key, which is not empty, in front of those that are read. */
  readonly after?: string;
}

/** Pages of items in order of their sort keys, read strongly consistent. A caller that has enough stops iterating. */
export async function* queryPages(table: Table, query: ItemQuery): AsyncGenerator<readonly Item[], void> {
  let last: Item | undefined;
  do {
    const ExclusiveStartKey: Item | undefined = last;
    const answer = await table.send({
      operation: query.operation,
      kind: 'read',
      send: (client) =>
        client.send(
          new QueryCommand({
            ...table.settings,
            ...buildKeyCondition(query),
            ConsistentRead: true,
            ExclusiveStartKey,
          }),
        ),
    });
    yield answer.Items ?? [];
    last = answer.LastEvaluatedKey;
  } while (last !== undefined);
}

export async function queryItems(table: Table, query: ItemQuery): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of queryPages(table, query)) items.push(...page);
  return items;
}

function buildKeyCondition({ partition, prefix, after }: ItemQuery) {
  return {
    KeyConditionExpression: prefix !== undefined ? WITH_PREFIX : after !== undefined ? AFTER : ALL,
    ExpressionAttributeValues: toAttributes({ ':partition': partition, ':prefix': prefix, ':after': after }),
  };
}
