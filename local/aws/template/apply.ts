import { CreateTableCommand, type DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import {
  CreateTopicCommand,
  ListSubscriptionsByTopicCommand,
  type SNSClient,
  SubscribeCommand,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import { CreateQueueCommand, SetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { createDynamoDbClient, createSnsClient, createSqsClient } from '../engines/clients.ts';
import { queueUrl } from '../functions/queue-messages.ts';
import type { Assembly } from './assembly.ts';
import { type Deployment, findResources, type ResolvedResource, readDeployment } from './deployment.ts';
import type { Endpoints } from './local-account.ts';
import { createResolver } from './resolver.ts';

/**
 * Creates the resources of the template on the local engines and returns what is to be run. Idempotent: queues keep their
 * messages, and have the attributes of the template. The format of the data folder is that of the table.
 */
export async function applyTemplate(assembly: Assembly, endpoints: Endpoints): Promise<Deployment> {
  const resolver = createResolver(assembly, endpoints.messaging);
  const deployment = readDeployment(assembly, resolver);
  const dynamoDb = createDynamoDbClient(endpoints);
  const sns = createSnsClient(endpoints);
  const sqs = createSqsClient(endpoints);
  await Promise.all([
    ...findResources(assembly, resolver, 'AWS::DynamoDB::Table').map((table) => applyTable(dynamoDb, table)),
    ...findResources(assembly, resolver, 'AWS::SNS::Topic').map(({ name }) => applyTopic(sns, name)),
    ...findResources(assembly, resolver, 'AWS::SQS::Queue').map(({ name, properties }) =>
      applyQueue(sqs, name, toAttributeTexts(pickAttributes(properties))),
    ),
  ]);
  const subscriptions = findResources(assembly, resolver, 'AWS::SNS::Subscription');
  await Promise.all(
    // The others deliver outside AWS.
    subscriptions
      .filter(({ properties }) => properties.Protocol === 'sqs')
      .map(({ properties: { TopicArn, Endpoint, RawMessageDelivery, FilterPolicy, FilterPolicyScope } }) =>
        applySubscription(sns, {
          topicArn: TopicArn,
          queueArn: Endpoint,
          attributes: toAttributeTexts({ RawMessageDelivery, FilterPolicy, FilterPolicyScope }),
        }),
      ),
  );
  for (const client of [dynamoDb, sns, sqs]) client.destroy();
  return deployment;
}

/** The tables that functions use. */
export function findTableNames({ functions }: Pick<Deployment, 'functions'>): string[] {
  const names = functions.map(({ environment }) => environment[ENVIRONMENT.tableName]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Creates a table unless it exists. Nothing in it expires. */
export async function applyTable(
  client: DynamoDBClient,
  { name, properties }: Pick<ResolvedResource<'AWS::DynamoDB::Table'>, 'name' | 'properties'>,
): Promise<void> {
  const { KeySchema, AttributeDefinitions } = properties;
  const keys = { KeySchema, AttributeDefinitions };
  const creation = new CreateTableCommand({ TableName: name, BillingMode: 'PAY_PER_REQUEST', ...keys });
  await client.send(creation).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
}

type Attributes = Readonly<Record<string, string>>;

function pickAttributes({
  FifoQueue,
  VisibilityTimeout,
  MessageRetentionPeriod,
  RedrivePolicy,
}: ResolvedResource<'AWS::SQS::Queue'>['properties']) {
  return { FifoQueue, VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy };
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

/** Creates a queue unless it exists, and gives it these attributes. Its messages stay. */
export async function applyQueue(client: SQSClient, name: string, attributes: Attributes): Promise<void> {
  const { FifoQueue, ...others } = attributes;
  const fixed = FifoQueue === undefined ? {} : { FifoQueue, ContentBasedDeduplication: 'false' };
  await client.send(new CreateQueueCommand({ QueueName: name, Attributes: fixed }));
  if (Object.keys(others).length > 0)
    await client.send(new SetQueueAttributesCommand({ QueueUrl: queueUrl(name), Attributes: others }));
}

/** One subscription of a queue to a topic. */
interface QueueSubscription {
  readonly topicArn: string;
  readonly queueArn: string;
  readonly attributes: Attributes;
}

/** Subscribes a queue to a topic, in place of an earlier subscription with other attributes. */
export async function applySubscription(
  client: SNSClient,
  { topicArn: TopicArn, queueArn: Endpoint, attributes: Attributes }: QueueSubscription,
): Promise<void> {
  const { Subscriptions = [] } = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
  const known = Subscriptions.find((subscription) => subscription.Endpoint === Endpoint);
  if (known !== undefined)
    await client.send(new UnsubscribeCommand({ SubscriptionArn: known.SubscriptionArn }));
  await client.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint, Attributes }));
}
