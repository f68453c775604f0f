import { TABLE } from '#shared/config/table.ts';
import { buildArn } from '../account.ts';
import type { Need } from './request.ts';

type Parameters = Readonly<Record<string, unknown>>;
type Attributes = Readonly<Record<string, { readonly S?: string }>>;

interface Keyed {
  readonly Key?: Attributes;
  readonly Item?: Attributes;
}

interface BatchWrite {
  readonly PutRequest?: Keyed;
  readonly DeleteRequest?: Keyed;
}

/**
 * Members of a transaction, and the actions that they ask for.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** What an operation on the table needs, with the partition keys that it touches. */
export function listTableNeeds(operation: string, parameters: Parameters): readonly Need[] {
  const table = String(parameters.TableName);
  switch (operation) {
    case 'TransactWriteItems':
      return (parameters.TransactItems as Record<string, Keyed & { readonly TableName: string }>[])
        .flatMap((member) => Object.entries(member))
        .map(([kind, item]) => toNeed(TRANSACTION_ACTIONS[kind] ?? kind, item.TableName, [item]));
    case 'BatchGetItem':
      return listRequests<{ readonly Keys: readonly Attributes[] }>(parameters).map(([name, { Keys }]) =>
        toNeed(
          operation,
          name,
          Keys.map((Key) => ({ Key })),
        ),
      );
    case 'BatchWriteItem':
      return listRequests<readonly BatchWrite[]>(parameters).map(([name, writes]) =>
        toNeed(
          operation,
          name,
          writes.map(({ PutRequest, DeleteRequest }) => PutRequest ?? DeleteRequest ?? {}),
        ),
      );
    case 'Query':
      return [toNeed(operation, table, [{ Key: readQueriedKey(parameters) }])];
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [toNeed(operation, table, [parameters])];
    default:
      return [{ action: `dynamodb:${operation}`, resource: toTableArn(table) }];
  }
}

function listRequests<T>({ RequestItems }: Parameters): [table: string, request: T][] {
  return Object.entries(RequestItems as Readonly<Record<string, T>>);
}

function toNeed(operation: string, table: string, items: readonly Keyed[]): Need {
  const partitionKeys = items.map(({ Key, Item }) => String((Key ?? Item)?.[TABLE.partitionKey]?.S));
  return { action: `dynamodb:${operation}`, resource: toTableArn(table), partitionKeys };
}

function toTableArn(table: string): string {
  return table.startsWith('arn:') ? table : buildArn('dynamodb', `table/${table}`);
}

/** The partition key that a key condition asks for: `pk = :pk`, with or without a name for `pk`. */
function readQueriedKey(parameters: Parameters): Attributes {
  const names = (parameters.ExpressionAttributeNames ?? {}) as Readonly<Record<string, string>>;
  const values = (parameters.ExpressionAttributeValues ?? {}) as Attributes;
  const comparisons = String(parameters.KeyConditionExpression).matchAll(/(#?\w+)\s*=\s*(:\w+)/g);
  for (const [, name = '', value = ''] of comparisons) {
    const found = values[value];
    if ((names[name] ?? name) === TABLE.partitionKey && found !== undefined)
      return { [TABLE.partitionKey]: found };
  }
  return {};
}
