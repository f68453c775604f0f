import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { LOCAL_ACCOUNT } from '../template/local-account.ts';

/**
 * Short, because a receive cannot be called off: messages that arrive after its caller has left would be handed to
 * nobody and stay hidden. SQS wants whole seconds, the queue of this machine does not mind.
 */
const WAIT_SECONDS = 0.1;
/**
 * The longest SQS knows: a reader of our output that takes its time must not make a message come twice. What a
 * killed run had in its hands is given back when the next one starts.
 */
const VISIBILITY_SECONDS = 43_200;
const RETENTION_SECONDS = 1_209_600;

/** What a queue of ours is like whose messages are gone when they are printed. */
export const CONSOLE_QUEUE_ATTRIBUTES = {
  VisibilityTimeout: String(VISIBILITY_SECONDS),
  MessageRetentionPeriod: String(RETENTION_SECONDS),
} as const;

/**
 * Address of a queue of this machine. It only names the queue: host and port are those of the client's endpoint. A
 * host that begins with `sqs.` would be taken for one with a region, up to the dot of `.fifo`.
 */
export function queueUrl(queueName: string): string {
  return `http://queues.local/${LOCAL_ACCOUNT}/${queueName}`;
}

/** Messages of a queue: those that can be received, and those in somebody's hands. Delayed ones are neither. */
export async function countMessages(
  sqs: SQSClient,
  queueName: string,
): Promise<{ visible: number; inFlight: number }> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl(queueName),
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return {
    visible: Number(Attributes.ApproximateNumberOfMessages),
    inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
  };
}

/** Messages of a queue that nobody has taken for good: also those in somebody's hands, and delayed ones. */
export async function countUndelivered(sqs: SQSClient, queueName: string): Promise<number> {
  const AttributeNames = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateNumberOfMessagesDelayed',
  ] as const;
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl(queueName), AttributeNames: [...AttributeNames] }),
  );
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

/** Takes the messages of a queue one batch after the other. */
export interface QueueReader {
  /** Ends the waiting for more. Takes what is in the queue until it is empty or `signal` says stop. */
  finish(signal?: AbortSignal): Promise<void>;
  /** Rejects when taking fails, for instance because the reader of our output is gone. */
  readonly failed: Promise<never>;
}

/** Which queue is read, and how many messages at once: so many come again at most when the run is killed. */
export interface QueueReadOptions {
  readonly sqs: SQSClient;
  readonly queueName: string;
  readonly batchSize: number;
}

/** Starts to read: `take` gets each message and answers when it is done with it; only then it is deleted. */
export function readQueue(queue: QueueReadOptions, take: (body: string) => Promise<void>): QueueReader {
  let finishing = false;
  const loop = async () => {
    while (!finishing) await processMessages(queue, await receive(queue, WAIT_SECONDS), take);
  };
  const running = loop();
  const failed = new Promise<never>((_, reject) => {
    running.catch(reject);
  });
  // Whoever is interested waits for `failed`; that nobody does yet is no crash.
  failed.catch(() => {});
  return {
    failed,
    finish: async (signal) => {
      finishing = true;
      await running;
      while (signal?.aborted !== true) {
        const messages = await receive(queue, 0);
        await processMessages(queue, messages, take);
        if (messages.length === 0 && (await isEmpty(queue))) return;
      }
    },
  };
}

async function receive(
  { sqs, queueName, batchSize }: QueueReadOptions,
  WaitTimeSeconds: number,
): Promise<Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl(queueName),
      MaxNumberOfMessages: batchSize,
      WaitTimeSeconds,
    }),
  );
  return Messages;
}

async function processMessages(
  { sqs, queueName }: QueueReadOptions,
  messages: readonly Message[],
  take: (body: string) => Promise<void>,
): Promise<void> {
  if (messages.length === 0) return;
  for (const { Body = '' } of messages) await take(Body);
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl(queueName), Entries }));
}

/** Whether nothing is in the queue, in nobody's hands either. */
async function isEmpty({ sqs, queueName }: QueueReadOptions): Promise<boolean> {
  const { visible, inFlight } = await countMessages(sqs, queueName);
  return visible === 0 && inFlight === 0;
}
