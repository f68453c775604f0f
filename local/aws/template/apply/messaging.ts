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

type Attributes = Readonly<Record<string, string>>;

/** One subscription of a queue to a topic. */
export interface QueueSubscription {
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
