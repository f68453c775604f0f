import type { IncomingHttpHeaders } from 'node:http';
import { localArn } from '#local/aws/template/local-account.ts';
import { TABLE } from '#shared/config/table.ts';

/** A statement of the policy of a role, with its references resolved. */
export interface Statement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: string | string[];
  readonly Condition?: unknown;
}

/** Statements by which AWS acts with the role of a function: for its queue, its network and the key of the table. */
const OF_AWS: ReadonlySet<string> = new Set([
  'CodeLeavesNetworkAlone',
  'JoinNetwork',
  'ReceiveMessages',
  'UseKey',
  'UseKeyOfOwnQueue',
  'UseKeyOfTable',
]);

/** Whether a function itself uses what a statement allows. Those of the CDK, for logs and dead letters, have no name. */
export function isOfCode({ Sid }: Statement): boolean {
  return Sid !== undefined && !OF_AWS.has(Sid);
}

/** An action that IAM decides on. */
interface Access {
  readonly action: string;
  /** ARN. The six last characters of a secret, which no request has, are `??????` as in a policy. */
  readonly resource: string;
  /** Of items of the table: one statement must allow them all. Undefined where the request names none. */
  readonly partitions: readonly (string | undefined)[] | null;
}

type Values = Readonly<Record<string, unknown>>;

/** A request to AWS as it goes over the wire. */
export interface WireRequest {
  readonly service: string;
  readonly operation: string;
  readonly input: Values;
  /** By which the gate knows who asks. */
  readonly accessKeyId: string;
}

/** Null for a request that is not signed, or whose operation is neither in a header nor in the body. */
export function parseRequest(headers: IncomingHttpHeaders, body: string): WireRequest | null {
  const credential = /Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\//.exec(String(headers.authorization));
  if (credential === null) return null;
  const [, accessKeyId = '', service = ''] = credential;
  const target = headers['x-amz-target'];
  if (typeof target === 'string') {
    const operation = target.slice(target.indexOf('.') + 1);
    return { service, operation, input: JSON.parse(body || '{}') as Values, accessKeyId };
  }
  const input = Object.fromEntries(new URLSearchParams(body));
  return input.Action === undefined ? null : { service, operation: input.Action, input, accessKeyId };
}

/** ARN of what the operations of a service are on. */
const RESOURCES: Readonly<Record<string, (input: Values) => string>> = {
  ssm: ({ Name }) => localArn('ssm', `parameter${Name}`),
  sns: ({ TopicArn }) => String(TopicArn),
  sqs: ({ QueueUrl }) => localArn('sqs', String(QueueUrl).split('/').at(-1) ?? ''),
  secretsmanager: ({ SecretId }) => localArn('secretsmanager', `secret:${SecretId}-??????`),
};

/**
 * The actions that AWS asks for. Throws for a service that no function is known to use.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
 */
export function listAccesses({ service, operation, input }: Omit<WireRequest, 'accessKeyId'>): Access[] {
  if (service === 'dynamodb') return listTableAccesses(operation, input);
  const find = RESOURCES[service];
  if (find === undefined) throw new Error(`no permissions known for ${service}:${operation}`);
  return [
    { action: `${service}:${operation.replace(/Batch$/, '')}`, resource: find(input), partitions: null },
  ];
}

/**
 * Of a transaction, one for each of its parts.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
export function listTableAccesses(operation: string, input: Values): Access[] {
  const batch = Object.entries((input.RequestItems ?? {}) as Values);
  switch (operation) {
    case 'TransactWriteItems':
      return (input.TransactItems as Readonly<Record<string, Values>>[])
        .flatMap((part) => Object.entries(part))
        .map(([kind, item]) => toAccess(`${kind}Item`, item.TableName, [item]));
    case 'BatchGetItem':
      return batch.map(([table, of]) => {
        const { Keys } = of as { readonly Keys: readonly Values[] };
        return toAccess(
          operation,
          table,
          Keys.map((Key) => ({ Key })),
        );
      });
    case 'BatchWriteItem':
      return batch.map(([table, writes]) =>
        toAccess(operation, table, (writes as Readonly<Record<string, Values>>[]).flatMap(Object.values)),
      );
    case 'DescribeTable':
      return [{ ...toAccess(operation, input.TableName, []), partitions: null }];
    default:
      return [toAccess(operation, input.TableName, [input])];
  }
}

function toAccess(operation: string, table: unknown, items: readonly Values[]): Access {
  return {
    action: `dynamodb:${operation}`,
    resource: localArn('dynamodb', `table/${table}`),
    partitions: items.map(findPartition),
  };
}

type Key = Readonly<Record<string, { readonly S?: string }>>;

/** Of an item, of its key, or of the key condition of a query. */
function findPartition({ Key, Item, KeyConditionExpression, ExpressionAttributeValues }: Values) {
  const condition = new RegExp(`\\b${TABLE.partitionKey} = (:\\w+)`).exec(String(KeyConditionExpression));
  const values = (ExpressionAttributeValues ?? {}) as Key;
  const key = (Key ?? Item) as Key | undefined;
  return key === undefined ? values[condition?.[1] ?? '']?.S : key[TABLE.partitionKey]?.S;
}

/** The statement of a role that allows an access. Throws for a condition that it does not know. */
export function findGrant(access: Access, statements: readonly Statement[]): Statement | undefined {
  return statements.find(
    ({ Effect, Action, Resource, Condition }) =>
      Effect === 'Allow' &&
      [Action].flat().includes(access.action) &&
      [Resource].flat().some((resource) => matches(resource, access.resource)) &&
      holds(Condition, access),
  );
}

function matches(pattern: string, text: string): boolean {
  const literal = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(text);
}

const OF_PARTITIONS = 'ForAllValues:StringLike';
const PARTITIONS = 'dynamodb:LeadingKeys';

function holds(condition: unknown, { action, partitions }: Access): boolean {
  if (condition === undefined) return true;
  const { [OF_PARTITIONS]: keys, ...others } = condition as Readonly<Record<string, Values>>;
  const { [PARTITIONS]: patterns, ...more } = keys ?? {};
  const unknown = [...Object.keys(others), ...Object.keys(more)];
  if (unknown.length > 0) throw new Error(`${action}: cannot decide by the condition ${unknown.join(', ')}`);
  const wanted = [patterns as string | string[]].flat();
  return (partitions ?? []).every(
    (partition) => partition !== undefined && wanted.some((pattern) => matches(pattern, partition)),
  );
}
