import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import {
  CreateTopicCommand,
  ListSubscriptionsByTopicCommand,
  SetSubscriptionAttributesCommand,
  type SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  type QueueAttributeName,
  QueueDoesNotExist,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { createDynamoDbClient, createSnsClient, createSqsClient } from '../engines/clients.ts';
import type { Assembly } from './assembly.ts';
import { checkTypes, type Deployment, findResources, readDeployment, readProperties } from './deployment.ts';
import type { Endpoints } from './local-account.ts';
import { createResolver, type Resolver } from './resolver.ts';
import {
  queueProperties,
  subscriptionProperties,
  type TableProperties,
  tableProperties,
  topicProperties,
} from './resource-properties.ts';

/**
 * Creates the resources of the template on the local engines and returns what is to be run. Idempotent.
 */
export async function applyTemplate(assembly: Assembly, endpoints: Endpoints): Promise<Deployment> {
  checkTypes(assembly);
  const resolver = createResolver(assembly, endpoints.messaging);
  const deployment = readDeployment(assembly, resolver);
  await Promise.all([
    applyTables({ assembly, resolver, deployment }, endpoints),
    applyMessaging(assembly, resolver, endpoints),
  ]);
  return deployment;
}

interface TableSources {
  readonly assembly: Assembly;
  readonly resolver: Resolver;
  readonly deployment: Deployment;
}

async function applyTables({ assembly, resolver }: TableSources, endpoints: Endpoints): Promise<void> {
  const client = createDynamoDbClient(endpoints);
  for (const resource of findResources(assembly, resolver, 'AWS::DynamoDB::Table')) {
    await applyTable(client, resource.name, readProperties(tableProperties, resource));
  }
  client.destroy();
}

/** The tables that functions use. */
export function findTableNames({ functions }: Pick<Deployment, 'functions'>): string[] {
  const names = functions.map(({ environment }) => environment[ENVIRONMENT.tableName]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

async function applyMessaging(assembly: Assembly, resolver: Resolver, endpoints: Endpoints): Promise<void> {
  const sns = createSnsClient(endpoints);
  const sqs = createSqsClient(endpoints);
  const topics = findResources(assembly, resolver, 'AWS::SNS::Topic').map((resource) => {
    readProperties(topicProperties, resource);
    return applyTopic(sns, resource.name);
  });
  const queues = findResources(assembly, resolver, 'AWS::SQS::Queue').map((resource) => {
    const { FifoQueue, ContentBasedDeduplication, ...rest } = readProperties(queueProperties, resource);
    const { VisibilityTimeout, MessageRetentionPeriod, DelaySeconds } = rest;
    const { ReceiveMessageWaitTimeSeconds, RedrivePolicy } = rest;
    const attributes = toAttributeTexts({
      FifoQueue,
      ContentBasedDeduplication,
      VisibilityTimeout,
      MessageRetentionPeriod,
      DelaySeconds,
      ReceiveMessageWaitTimeSeconds,
      RedrivePolicy,
    });
    return applyQueue(sqs, resource.name, attributes);
  });
  await Promise.all([...topics, ...queues]);
  const subscriptions = findResources(assembly, resolver, 'AWS::SNS::Subscription').map(async (resource) => {
    const { TopicArn, Protocol, Endpoint, ...attributes } = readProperties(subscriptionProperties, resource);
    if (Protocol !== 'sqs') return;
    const { RawMessageDelivery, FilterPolicy, FilterPolicyScope } = attributes;
    await applySubscription(sns, {
      topicArn: TopicArn,
      queueArn: Endpoint,
      attributes: toAttributeTexts({ RawMessageDelivery, FilterPolicy, FilterPolicyScope }),
    });
  });
  await Promise.all(subscriptions);
  sns.destroy();
  sqs.destroy();
}

/** Creates a table unless it exists, and enables its TTL. Throws for an existing table with other keys. */
export async function applyTable(
  client: DynamoDBClient,
  name: string,
  properties: TableProperties,
): Promise<void> {
  const keys = await readKeys(client, name);
  if (keys === null) await createTable(client, name, properties);
  else if (keys !== describeKeys(properties.KeySchema)) {
    throw new NotifierError(
      'table_differs',
      `table ${name} in the data folder has other keys than in the template; name another folder with --data`,
    );
  }
  await applyTimeToLive(client, name, properties);
}

async function readKeys(client: DynamoDBClient, name: string): Promise<string | null> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    return describeKeys(Table?.KeySchema ?? []);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
    throw error;
  }
}

function describeKeys(
  keys: readonly { AttributeName?: string | undefined; KeyType?: string | undefined }[],
): string {
  return keys.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).join(', ');
}

async function createTable(client: DynamoDBClient, name: string, properties: TableProperties): Promise<void> {
  const { KeySchema, AttributeDefinitions } = properties;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema,
      AttributeDefinitions,
    }),
  );
}

async function applyTimeToLive(
  client: DynamoDBClient,
  name: string,
  { TimeToLiveSpecification: wanted }: TableProperties,
): Promise<void> {
  if (wanted?.Enabled !== true) return;
  const { TimeToLiveDescription: current } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: name }),
  );
  if (current?.AttributeName === wanted.AttributeName) return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: wanted.AttributeName, Enabled: true },
    }),
  );
}

type Attributes = Readonly<Record<string, string>>;

/** One subscription of a queue to a topic. */
interface QueueSubscription {
  readonly topicArn: string;
  readonly queueArn: string;
  readonly attributes: Attributes;
}

/** Attributes for SNS and SQS: defined values as text. */
export function toAttributeTexts(values: Readonly<Record<string, unknown>>): Attributes {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, toText(value)]));
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Creates a topic unless it exists. */
export async function applyTopic(client: SNSClient, name: string): Promise<void> {
  await client.send(new CreateTopicCommand({ Name: name }));
}

/** Creates a queue, or updates the attributes of the existing one. Its messages stay. */
export async function applyQueue(client: SQSClient, name: string, attributes: Attributes): Promise<void> {
  const url = await findQueueUrl(client, name);
  const Attributes = attributes as Partial<Record<QueueAttributeName, string>>;
  if (url === null) await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
  else if (Object.keys(attributes).length > 0) {
    await client.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes }));
  }
}

async function findQueueUrl(client: SQSClient, name: string): Promise<string | null> {
  try {
    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
    return QueueUrl ?? null;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return null;
    throw error;
  }
}

/** Subscribes a queue to a topic, or updates the attributes of the existing subscription. */
export async function applySubscription(client: SNSClient, wanted: QueueSubscription): Promise<void> {
  const { topicArn: TopicArn, queueArn: Endpoint, attributes: Attributes } = wanted;
  const { Subscriptions = [] } = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
  const SubscriptionArn = Subscriptions.find((known) => known.Endpoint === Endpoint)?.SubscriptionArn;
  if (SubscriptionArn === undefined) {
    await client.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint, Attributes }));
    return;
  }
  for (const [AttributeName, AttributeValue] of Object.entries(Attributes)) {
    await client.send(
      new SetSubscriptionAttributesCommand({ SubscriptionArn, AttributeName, AttributeValue }),
    );
  }
}
