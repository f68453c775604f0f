import {
  BatchWriteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { PublishCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { TABLE } from '#shared/config/table.ts';
import { buildArn, REGION } from '../account.ts';
import type { Aws } from '../aws.ts';
import { findQueueUrl } from '../queues.ts';
import { readCreated } from '../references.ts';
import type { Stack } from '../stage.ts';
import { secretOf } from '../world/everything.ts';
import { assumeRole, type RoleCredentials } from './assume-role.ts';
import { nameKind } from './function-kind.ts';

/** By kind of function: names of what it must not reach. */
interface Targets {
  readonly partition: string;
  readonly foreignPartition: string;
  readonly secret: string;
  readonly topic: string;
  readonly queue: string;
  readonly functionName: string;
}

const TARGETS: Targets = {
  partition: 'main#state',
  foreignPartition: 'main#state',
  secret: secretOf('main'),
  topic: 'timesheets',
  queue: 'collect-alerts',
  // Which no schedule starts.
  functionName: 'collect-alerts',
};

/** What is not out of reach of every function, replaced by its neighbour. */
const TARGETS_BY_KIND: Readonly<Record<string, Partial<Targets>>> = {
  poll: {
    partition: 'alerts#payroll',
    foreignPartition: 'nobody#state',
    topic: 'alerts',
    secret: secretOf('slack'),
  },
  'collect-alerts': { partition: 'webhook#archive', queue: 'webhook-archive' },
  'deliver-chat': { partition: 'alerts#payroll', foreignPartition: 'alerts#nobody#threads' },
  'deliver-webhook': { partition: 'webhook#nobody', foreignPartition: 'webhook#nobody' },
};

/** Every role of a stack tries what it must not do. Throws when one of them is let through. */
export async function tryIntrusions(aws: Aws, stack: Stack): Promise<string> {
  const created = [...(await readCreated(aws.api, stack.name)).values()];
  const roles = created
    .filter(({ type }) => type === 'AWS::IAM::Role')
    .map(({ physicalId }) => toRoleArn(physicalId));
  const functions = new Map(
    aws.gate.evidence.grants.map(({ caller }) => [caller.roleArn, caller.functionName]),
  );
  const { Table } = await aws.dynamoDb.send(new DescribeTableCommand({ TableName: await stack.tableName() }));
  const keyArn = Table?.SSEDescription?.KMSMasterKeyArn ?? '';
  let refused = 0;
  for (const roleArn of roles) {
    const functionName = functions.get(roleArn) ?? 'schedule';
    const targets = { ...TARGETS, ...TARGETS_BY_KIND[nameKind(functionName, [stack.name])] };
    const target: OutOfReach = {
      ...targets,
      tableName: await stack.tableName(),
      topicArn: buildArn('sns', `${stack.name}-${targets.topic}`),
      queueUrl: await findQueueUrl(aws, `${stack.name}-${targets.queue}`),
      functionName: `${stack.name}-${targets.functionName}`,
      roleArn: roles.find((each) => each !== roleArn) ?? '',
      keyArn,
    };
    const credentials = await assumeRole(aws.api, roleArn);
    await aws.gate.admit(credentials.AWS_ACCESS_KEY_ID, { functionName, roleArn, intrudes: true });
    const attempts = listAttempts({ endpoint: aws.endpoint, credentials, roleArn, target });
    for (const [name, attempt] of attempts) {
      await expectRefusal(attempt, `${functionName} (${roleArn}) was let through: ${name}`);
      refused += 1;
    }
  }
  return `${roles.length} roles, ${refused} attempts, all refused`;
}

function toRoleArn(physicalId: string): string {
  return physicalId.startsWith('arn:') ? physicalId : buildArn('iam', `role/${physicalId}`);
}

const REFUSAL = /AccessDenied|AuthorizationError|not authorized/i;

export async function expectRefusal(attempt: () => Promise<unknown>, otherwise: string): Promise<void> {
  const answer = await attempt().then(
    () => 'it worked',
    (error: unknown) => String(error),
  );
  if (!REFUSAL.test(answer)) throw new Error(`${otherwise}: ${answer.slice(0, 300)}`);
}

/** What a role must not reach. All of it exists, so that only its policies stand in the way. */
interface OutOfReach {
  readonly tableName: string;
  /** Partition that it may neither read nor write. */
  readonly partition: string;
  /** Partition that it may not write; it may read some of them. */
  readonly foreignPartition: string;
  readonly secret: string;
  readonly topicArn: string;
  readonly queueUrl: string;
  readonly functionName: string;
  readonly roleArn: string;
  readonly keyArn: string;
}

export interface Intruder {
  readonly endpoint: string;
  readonly credentials: RoleCredentials;
  readonly roleArn: string;
  readonly target: OutOfReach;
}

/** Each resolves when it was let through, and rejects when it was refused. */
export type Attempt = () => Promise<unknown>;

/** What a role that fell into wrong hands would be used for. */
function listAttempts(intruder: Intruder): ReadonlyMap<string, Attempt> {
  return new Map([
    ...listDataAttempts(intruder),
    ...listMessageAttempts(intruder),
    ...listControlAttempts(intruder),
    ...listNetworkAttempts(intruder),
  ]);
}

export function createClientOptions({ endpoint, credentials }: Pick<Intruder, 'endpoint' | 'credentials'>) {
  return {
    endpoint,
    region: REGION,
    maxAttempts: 1,
    credentials: {
      accessKeyId: credentials.AWS_ACCESS_KEY_ID,
      secretAccessKey: credentials.AWS_SECRET_ACCESS_KEY,
      sessionToken: credentials.AWS_SESSION_TOKEN,
    },
  };
}

function listDataAttempts(intruder: Intruder): [string, Attempt][] {
  const options = createClientOptions(intruder);
  const dynamoDb = new DynamoDBClient(options);
  const secrets = new SecretsManagerClient(options);
  const { tableName: TableName, partition, foreignPartition, secret } = intruder.target;
  const key = (value: string) => ({ [TABLE.partitionKey]: { S: value }, [TABLE.sortKey]: { S: 'intruder' } });
  const Item = key(foreignPartition);
  return [
    ['write another partition', () => dynamoDb.send(new PutItemCommand({ TableName, Item }))],
    [
      'write another partition in a batch',
      () =>
        dynamoDb.send(
          new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item } }] } }),
        ),
    ],
    [
      'write another partition in a transaction',
      () => dynamoDb.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item } }] })),
    ],
    ['read another partition', () => dynamoDb.send(new GetItemCommand({ TableName, Key: key(partition) }))],
    ['read the whole table', () => dynamoDb.send(new ScanCommand({ TableName }))],
    ['delete the table', () => dynamoDb.send(new DeleteTableCommand({ TableName }))],
    [
      'read who belongs to which calendar of another connection',
      () =>
        dynamoDb.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: `${TABLE.partitionKey} = :partition`,
            ExpressionAttributeValues: { ':partition': { S: 'nobody#answers' } },
          }),
        ),
    ],
    ['read another secret', () => secrets.send(new GetSecretValueCommand({ SecretId: secret }))],
  ];
}

function listMessageAttempts(intruder: Intruder): [string, Attempt][] {
  const options = createClientOptions(intruder);
  const sns = new SNSClient(options);
  const sqs = new SQSClient({ ...options, useQueueUrlAsEndpoint: false });
  const { topicArn: TopicArn, queueUrl: QueueUrl } = intruder.target;
  const name = QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1);
  const subscription = { TopicArn, Protocol: 'sqs', Endpoint: buildArn('sqs', name) };
  return [
    ['publish to another topic', () => sns.send(new PublishCommand({ TopicArn, Message: 'intruder' }))],
    ['subscribe a queue', () => sns.send(new SubscribeCommand(subscription))],
    ['send to another queue', () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'intruder' }))],
    ['receive from another queue', () => sqs.send(new ReceiveMessageCommand({ QueueUrl }))],
  ];
}

function listControlAttempts(intruder: Intruder): [string, Attempt][] {
  const lambda = new LambdaClient(createClientOptions(intruder));
  const { functionName: FunctionName, roleArn: Role, keyArn } = intruder.target;
  const RoleName = intruder.roleArn.slice(intruder.roleArn.lastIndexOf('/') + 1);
  const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };
  const send = async (service: string, headers: Readonly<Record<string, string>>, body: string) => {
    const { endpoint } = intruder;
    const { ok, text } = await sendSigned(lambda, { endpoint, service, headers, body });
    if (!ok) throw new Error(text);
  };
  const query = (service: string, parameters: Readonly<Record<string, string>>) =>
    send(
      service,
      { 'content-type': 'application/x-www-form-urlencoded' },
      new URLSearchParams(parameters).toString(),
    );
  return [
    ['start another function', () => lambda.send(new InvokeCommand({ FunctionName }))],
    [
      'pass a role to another function',
      () => lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Role })),
    ],
    [
      'assume another role',
      () =>
        query('sts', {
          Action: 'AssumeRole',
          Version: '2011-06-15',
          RoleArn: Role,
          RoleSessionName: 'intruder',
        }),
    ],
    [
      'give itself a policy',
      () =>
        query('iam', {
          Action: 'PutRolePolicy',
          Version: '2010-05-08',
          RoleName,
          PolicyName: 'Intruder',
          PolicyDocument: JSON.stringify(policy),
        }),
    ],
    [
      'delete a key',
      () =>
        send(
          'kms',
          {
            'content-type': 'application/x-amz-json-1.1',
            'x-amz-target': 'TrentService.ScheduleKeyDeletion',
          },
          JSON.stringify({ KeyId: keyArn }),
        ),
    ],
  ];
}

function listNetworkAttempts(intruder: Intruder): [string, Attempt][] {
  const lambda = new LambdaClient(createClientOptions(intruder));
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'Action=DeleteNetworkInterface&Version=2016-11-15&NetworkInterfaceId=eni-0a1b2c3d';
  const attempt = async () => {
    const { endpoint } = intruder;
    const { ok, text } = await sendSigned(lambda, { endpoint, service: 'ec2', headers, body });
    if (!ok) throw new Error(text);
  };
  return [['delete a network interface', attempt]];
}

interface UnsentRequest {
  readonly endpoint: string;
  readonly service: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a POST to a service of which this project has no client, signed as this client signs. */
async function sendSigned(
  client: LambdaClient,
  request: UnsentRequest,
): Promise<{ ok: boolean; text: string }> {
  const { endpoint, service, body } = request;
  const { host, hostname, port, protocol } = new URL(endpoint);
  const scheme = { name: 'sigv4', signingName: service, signingRegion: REGION, properties: {} };
  const { headers } = await (await client.config.signer(scheme)).sign({
    ...{ method: 'POST', protocol, hostname, port: Number(port), path: '/', query: {}, body },
    headers: { ...request.headers, host },
  });
  const response = await fetch(endpoint, { method: 'POST', body, headers });
  return { ok: response.ok, text: await response.text() };
}
