import { type DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { TABLE } from '#shared/config/table.ts';
import type { EmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import type { Statement } from './synthesized.ts';

/** An action that IAM decides on. */
interface Access {
  readonly action: string;
  /** Of all keys: one statement must allow them all. Undefined where the request names none. */
  readonly partitions: readonly (string | undefined)[];
}

type Values = Readonly<Record<string, unknown>>;

/** A client with the permissions of a role; anything else is `AccessDenied` before it is sent. */
export function createGuardedClient(
  dynamo: EmbeddedDynamo,
  permissions: readonly Statement[],
): DynamoDBClient {
  const { endpoint, region, credentials } = dynamo.client.config;
  const client = createDynamoClient({ ...(endpoint === undefined ? {} : { endpoint }), region, credentials });
  client.middlewareStack.add(
    (next, context) => (args) => {
      const name = String(context.commandName).replace(/Command$/, '');
      const denied = listAccesses(name, args.input as Values).filter(
        (access) => !isAllowed(access, permissions),
      );
      if (denied.length === 0) return next(args);
      throw new DynamoDBServiceException({
        name: 'AccessDeniedException',
        $fault: 'client',
        $metadata: { httpStatusCode: 400 },
        message: denied.map((it) => `${it.action} ${it.partitions}`).join(', '),
      });
    },
    { step: 'initialize' },
  );
  return client;
}

/** The actions of a request; a transaction has one for each of its parts. */
function listAccesses(name: string, input: Values): Access[] {
  const batch = Object.values((input.RequestItems ?? {}) as Record<string, unknown>);
  switch (name) {
    case 'TransactWriteItems':
      return (input.TransactItems as Values[]).flatMap((part) =>
        Object.entries(part).map(([kind, values]) => access(`${kind}Item`, [values as Values])),
      );
    case 'BatchGetItem':
      return batch.map((of) =>
        access(
          name,
          (of as { Keys: Values[] }).Keys.map((Key) => ({ Key })),
        ),
      );
    case 'BatchWriteItem':
      return batch.map((writes) => access(name, (writes as Values[]).flatMap(Object.values)));
    default:
      return [access(name, [input])];
  }
}

function access(action: string, items: readonly Values[]): Access {
  const partitions = items.map(({ Key, Item, ...query }) => {
    const key = (Key ?? Item ?? {}) as Record<string, { S?: string }>;
    return key[TABLE.partitionKey]?.S ?? findPartition(query);
  });
  return { action: `dynamodb:${action}`, partitions };
}

function findPartition({ KeyConditionExpression, ExpressionAttributeValues }: Values): string | undefined {
  const name = new RegExp(`\\b${TABLE.partitionKey} = (:\\w+)`).exec(String(KeyConditionExpression))?.[1];
  const values = (ExpressionAttributeValues ?? {}) as Record<string, { S?: string }>;
  return name === undefined ? undefined : values[name]?.S;
}

function isAllowed({ action, partitions }: Access, permissions: readonly Statement[]): boolean {
  return permissions.some(({ Action, Condition }) => {
    if (![Action].flat().includes(action)) return false;
    const patterns = (Condition as Values | undefined)?.['ForAllValues:StringLike'] as
      | { 'dynamodb:LeadingKeys': string | string[] }
      | undefined;
    if (patterns === undefined) return true;
    const allowed = [patterns['dynamodb:LeadingKeys']].flat();
    return partitions.every((partition) => allowed.some((pattern) => isLike(partition, pattern)));
  });
}

function isLike(text: string | undefined, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text !== undefined && new RegExp(`^${parts.join('.*')}$`).test(text);
}
