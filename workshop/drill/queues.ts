import {
  ListQueuesCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { countMessages, deleteMessages, queueUrl } from '#local/aws/functions/queue-messages.ts';
import type { QueueBacklog } from '#local/aws/functions/running-functions.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import type { Machine } from '#local/run/session/machine.ts';
import type { NotifierError } from '#shared/core/errors.ts';
import { drainQueue } from '../deployed/queues.ts';

const DEAD_LETTERS = '-dead-letters';
/** Queues of this run itself: the console and the mailboxes. */
const OWN = /^local-/;
const BATCH_SIZE = 10;

/** Reads and deletes what subscribers get, as a subscriber that works would. */
export async function takeSubscribed(machine: Machine): Promise<void> {
  const { aws } = machine;
  const processed = new Set(aws.deployment.triggers.map(({ queueName }) => queueName));
  for (const name of await listQueues(aws)) {
    if (!processed.has(name) && !OWN.test(name) && !name.includes(DEAD_LETTERS))
      await drainQueue(aws, queueUrl(name));
  }
}

/** Messages in dead-letter queues, without empty queues. */
export async function listDeadLetters(aws: LocalAws): Promise<QueueBacklog[]> {
  const names = (await listQueues(aws)).filter((name) => name.includes(DEAD_LETTERS));
  const counted = names.map((queueName) => {
    const { visible, inFlight, delayed } = countMessages(aws, queueName);
    return { queueName, messages: visible + inFlight + delayed };
  });
  return counted.filter(({ messages }) => messages > 0);
}

/** Lambda puts a request that failed into the dead-letter queue of its function. */
export async function keepDeadRequest(
  aws: LocalAws,
  functionName: string,
  { event, error }: { readonly event: unknown; readonly error: NotifierError },
): Promise<void> {
  const queueName = `${functionName}${DEAD_LETTERS}`;
  if (!(await listQueues(aws)).includes(queueName)) return;
  await aws.sqs.send(
    new SendMessageCommand({
      QueueUrl: queueUrl(queueName),
      MessageBody: JSON.stringify(event),
      MessageAttributes: { ErrorMessage: { DataType: 'String', StringValue: error.message } },
    }),
  );
}

/** Deletes what is in a queue. */
export async function purge(aws: LocalAws, queueName: string): Promise<void> {
  await aws.sqs.send(new PurgeQueueCommand({ QueueUrl: queueUrl(queueName) }));
}

/** Moves the messages of a dead-letter queue back to its queue, as `aws sqs start-message-move-task` does. */
export async function redrive(aws: LocalAws, queueName: string): Promise<number> {
  let moved = 0;
  for (;;) {
    const messages = await receive(aws.sqs, deadLetterQueueOf(queueName));
    if (messages.length === 0) return moved;
    const Entries = messages.map(({ Body, MessageAttributes }, index) => ({
      Id: String(index),
      MessageBody: Body,
      MessageAttributes,
    }));
    await aws.sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl(queueName), Entries }));
    await deleteMessages(aws.sqs, deadLetterQueueOf(queueName), messages);
    moved += messages.length;
  }
}

function deadLetterQueueOf(queueName: string): string {
  return `${queueName}${DEAD_LETTERS}`;
}

async function listQueues({ sqs }: LocalAws): Promise<string[]> {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  return QueueUrls.map((url) => url.slice(url.lastIndexOf('/') + 1));
}

async function receive(sqs: SQSClient, queueName: string): Promise<readonly Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl(queueName),
      MaxNumberOfMessages: BATCH_SIZE,
      WaitTimeSeconds: 0,
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages;
}
