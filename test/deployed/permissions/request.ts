import { ACCOUNT, buildArn } from '../account.ts';

/** A request to AWS as it goes over the wire. */
export interface WireRequest {
  readonly service: string;
  readonly operation: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Access key id of the caller. */
  readonly accessKeyId: string;
}

/** One authorization that a request needs, on one resource. */
export interface Need {
  readonly action: string;
  readonly resource: string;
  /** Of items in DynamoDB. */
  readonly partitionKeys?: readonly string[];
}

interface Head {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Null when it is not signed. */
export function parseRequest({ headers, body }: Head): WireRequest | null {
  const credential = /Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\//.exec(String(headers.authorization));
  const [, accessKeyId = '', service = ''] = credential ?? [];
  if (credential === null) return null;
  const target = headers['x-amz-target'];
  if (typeof target === 'string') {
    const parameters = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
    return { service, operation: target.slice(target.indexOf('.') + 1), parameters, accessKeyId };
  }
  const parameters = Object.fromEntries(new URLSearchParams(body));
  return { service, operation: parameters.Action ?? '', parameters, accessKeyId };
}

/**
 * The actions that AWS asks for. Batches and transactions have none of their own but those of their parts.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
 * Throws for an operation that no function of this project is known to use.
 */
export function listNeeds(request: WireRequest, partitionKeyName: string): readonly Need[] {
  const { service, operation, parameters } = request;
  const list = SERVICES[service];
  if (list === undefined) throw new Error(`no permissions known for ${service}:${operation}`);
  return list(operation, parameters, partitionKeyName);
}

type Parameters = Readonly<Record<string, unknown>>;
type ListNeeds = (operation: string, parameters: Parameters, partitionKeyName: string) => readonly Need[];

const SERVICES: Readonly<Record<string, ListNeeds>> = {
  dynamodb: listTableNeeds,
  sns: (operation, { TopicArn }) => [
    // https://docs.aws.amazon.com/sns/latest/dg/sns-batch-api-actions.html
    { action: `sns:${operation.replace(/Batch$/, '')}`, resource: String(TopicArn) },
  ],
  sqs: (operation, { QueueUrl = '', QueueName }) => [
    // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-api-permissions-reference.html
    {
      action: `sqs:${operation.replace(/Batch$/, '')}`,
      resource: toQueueArn(String(QueueName ?? QueueUrl)),
    },
  ],
  secretsmanager: (operation, { SecretId }) => [
    { action: `secretsmanager:${operation}`, resource: String(SecretId) },
  ],
};

/** Of a URL or a name. */
function toQueueArn(queue: string): string {
  const [name = '', account = ACCOUNT] = queue.split('/').reverse();
  return buildArn('sqs', name).replace(ACCOUNT, account);
}

type Attributes = Readonly<Record<string, { readonly S?: string }>>;
type Item = { readonly TableName: string; readonly Key?: Attributes; readonly Item?: Attributes };

/** Names of the members of a transaction, and their actions. */
const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

function listTableNeeds(operation: string, parameters: Parameters, keyName: string): readonly Need[] {
  const toNeed = (name: string, table: string, keys?: readonly (string | undefined)[]): Need => ({
    action: `dynamodb:${name}`,
    resource: table.startsWith('arn:') ? table : buildArn('dynamodb', `table/${table}`),
    ...(keys === undefined ? {} : { partitionKeys: keys.map(String) }),
  });
  const readKey = ({ Key, Item }: Pick<Item, 'Key' | 'Item'>) => (Key ?? Item)?.[keyName]?.S;
  const table = String(parameters.TableName);
  switch (operation) {
    case 'TransactWriteItems':
      return (parameters.TransactItems as Record<string, Item>[])
        .flatMap((member) => Object.entries(member))
        .map(([kind, item]) => toNeed(TRANSACTION_ACTIONS[kind] ?? kind, item.TableName, [readKey(item)]));
    case 'BatchGetItem':
      return Object.entries(parameters.RequestItems as Record<string, { Keys: Attributes[] }>).map(
        ([name, { Keys }]) =>
          toNeed(
            operation,
            name,
            Keys.map((Key) => readKey({ Key })),
          ),
      );
    case 'BatchWriteItem':
      return Object.entries(parameters.RequestItems as Record<string, BatchWrite[]>).map(([name, writes]) =>
        toNeed(
          operation,
          name,
          writes.map((write) => readKey(write.PutRequest ?? write.DeleteRequest ?? {})),
        ),
      );
    case 'Query':
      return [toNeed(operation, table, [readQueriedKey(parameters, keyName)])];
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [toNeed(operation, table, [readKey(parameters)])];
    default:
      return [toNeed(operation, table)];
  }
}

interface BatchWrite {
  readonly PutRequest?: { readonly Item: Attributes };
  readonly DeleteRequest?: { readonly Key: Attributes };
}

/** The partition key that a key condition asks for: `pk = :pk`, with or without a name for `pk`. */
function readQueriedKey(parameters: Parameters, keyName: string): string | undefined {
  const names = (parameters.ExpressionAttributeNames ?? {}) as Readonly<Record<string, string>>;
  const values = (parameters.ExpressionAttributeValues ?? {}) as Attributes;
  const comparisons = String(parameters.KeyConditionExpression).matchAll(/(#?\w+)\s*=\s*(:\w+)/g);
  for (const [, name = '', value = ''] of comparisons) {
    if ((names[name] ?? name) === keyName) return values[value]?.S;
  }
  return undefined;
}
