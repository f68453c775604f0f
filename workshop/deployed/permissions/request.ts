import { TABLE } from '#shared/config/table.ts';
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

interface Message {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Null when it is not signed, or of a protocol and operation that no function of this project uses. */
export function parseRequest(message: Message): WireRequest | null {
  const { headers, body } = message;
  const credential = /Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\//.exec(String(headers.authorization));
  if (credential === null) return null;
  const [, accessKeyId = '', service = ''] = credential;
  if (service === 'lambda') return { ...parseLambdaPath(message), service, accessKeyId };
  const target = headers['x-amz-target'];
  if (typeof target === 'string') {
    const parameters = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
    return { service, operation: target.slice(target.indexOf('.') + 1), parameters, accessKeyId };
  }
  const parameters = Object.fromEntries(new URLSearchParams(body));
  return { service, operation: parameters.Action ?? '', parameters, accessKeyId };
}

const LAMBDA_OPERATIONS: Readonly<Record<string, string>> = {
  'POST invocations': 'InvokeFunction',
  'PUT configuration': 'UpdateFunctionConfiguration',
};

/** `/2015-03-31/functions/NAME/invocations`. */
function parseLambdaPath({ method, path }: Message): Pick<WireRequest, 'operation' | 'parameters'> {
  const [, , , FunctionName = '', part = ''] = path.split('/');
  return { operation: LAMBDA_OPERATIONS[`${method} ${part}`] ?? '', parameters: { FunctionName } };
}

type Parameters = Readonly<Record<string, unknown>>;

/** ARN of what each service's operations are on; `*` where they take none. A secret is named as the request names it. */
const RESOURCES: Readonly<Record<string, (parameters: Parameters) => string>> = {
  ssm: ({ Path, Name = Path }) => (Name === undefined ? '*' : buildArn('ssm', `parameter${Name}`)),
  sns: ({ TopicArn }) => String(TopicArn),
  sqs: ({ QueueUrl }) => toQueueArn(String(QueueUrl)),
  secretsmanager: ({ SecretId }) => String(SecretId),
  lambda: ({ FunctionName }) => buildArn('lambda', `function:${FunctionName}`),
  iam: ({ RoleName }) => `arn:aws:iam::${ACCOUNT}:role/${RoleName}`,
  sts: ({ RoleArn }) => String(RoleArn),
  kms: ({ KeyId }) => String(KeyId),
  ec2: () => '*',
};

/**
 * The actions that AWS asks for. Batches and transactions have none of their own but those of their parts.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
 * Throws for a service that no function of this project is known to use.
 */
export function listNeeds({ service, operation, parameters }: WireRequest): readonly Need[] {
  if (service === 'dynamodb') return listTableNeeds(operation, parameters);
  const find = RESOURCES[service];
  if (find === undefined) throw new Error(`no permissions known for ${service}:${operation}`);
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-api-permissions-reference.html
  return [{ action: `${service}:${operation.replace(/Batch$/, '')}`, resource: find(parameters) }];
}

function toQueueArn(url: string): string {
  const [name = '', account = ACCOUNT] = url.split('/').reverse();
  return buildArn('sqs', name).replace(ACCOUNT, account);
}

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
function listTableNeeds(operation: string, parameters: Parameters): readonly Need[] {
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
