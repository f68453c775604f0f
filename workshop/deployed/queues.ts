import { SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { buildArn } from './account.ts';
import type { Aws } from './aws.ts';

const MAX_RECEIVED = 10;

export async function findQueueUrl({ sqs }: Pick<Aws, 'sqs'>, name: string): Promise<string> {
  const { QueueUrl = '' } = await sqs.send(new GetQueueUrlCommand({ QueueName: name }));
  return QueueUrl;
}

/** Creates a queue of someone outside the stack. */
export async function createQueue({ sqs }: Pick<Aws, 'sqs'>, name: string): Promise<void> {
  await sqs.send(new CreateQueueCommand({ QueueName: name }));
}

export async function deleteQueue({ sqs }: Pick<Aws, 'sqs'>, name: string): Promise<void> {
  await sqs.send(new DeleteQueueCommand({ QueueUrl: await findQueueUrl({ sqs }, name) }));
}

/** URLs of the queues whose names begin so. */
export async function listQueues({ sqs }: Pick<Aws, 'sqs'>, prefix: string): Promise<readonly string[]> {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: prefix }));
  return QueueUrls;
}

/** Subscribes a queue to a topic, by their names. */
export async function subscribeQueue(
  { sns }: Pick<Aws, 'sns'>,
  { topic, queue }: { readonly topic: string; readonly queue: string },
  attributes: Readonly<Record<string, string>>,
): Promise<void> {
  await sns.send(
    new SubscribeCommand({
      TopicArn: buildArn('sns', topic),
      Protocol: 'sqs',
      Endpoint: buildArn('sqs', queue),
      Attributes: { ...attributes },
    }),
  );
}

/** The bodies of everything that waits in a queue, deleted from it. */
export async function drainQueue({ sqs }: Pick<Aws, 'sqs'>, QueueUrl: string): Promise<string[]> {
  const bodies: string[] = [];
  for (;;) {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: MAX_RECEIVED });
    const { Messages = [] } = await sqs.send(command);
    if (Messages.length === 0) return bodies;
    bodies.push(...Messages.map(({ Body = '' }) => Body));
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}
