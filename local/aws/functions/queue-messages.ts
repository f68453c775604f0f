import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { MessagingEngine } from '../engines/messaging-engine.ts';
import { LOCAL_ACCOUNT } from '../template/local-account.ts';

/**
 * The maximum of SQS: a slow reader of our output must not receive a message twice. Messages in flight when a run is
 * killed become visible when the next one starts.
 */
const VISIBILITY_SECONDS = 43_200;
const RETENTION_SECONDS = 1_209_600;

/** Attributes of a queue whose messages are deleted once they are printed. */
export const CONSOLE_QUEUE_ATTRIBUTES = {
  VisibilityTimeout: String(VISIBILITY_SECONDS),
  MessageRetentionPeriod: String(RETENTION_SECONDS),
} as const;

/**
 * URL of a local queue. Only the name in it counts; host and port are those of the client's endpoint. A host that begins
 * with `sqs.` would be parsed for a region, up to the dot of `.fifo`.
 */
export function queueUrl(queueName: string): string {
  return `http://queues.local/${LOCAL_ACCOUNT}/${queueName}`;
}

/** Messages of a queue by state. */
export interface MessageCounts {
  readonly visible: number;
  /** Received and not yet deleted. */
  readonly inFlight: number;
  readonly delayed: number;
}

/** None in a queue that does not exist. */
export function countMessages(
  { inspectQueue }: Pick<QueueAccess, 'inspectQueue'>,
  queueName: string,
): MessageCounts {
  const { ready = [], delayed = [], inflight = [] } = inspectQueue(queueName)?.messages ?? {};
  return { visible: ready.length, inFlight: inflight.length, delayed: delayed.length };
}

/** How queues are read, looked at, and waited for. */
export interface QueueAccess extends Pick<MessagingEngine, 'inspectQueue' | 'awaitMessages'> {
  readonly sqs: SQSClient;
}

export interface QueueReadOptions extends QueueAccess {
  readonly queueName: string;
  /** At most ten. */
  readonly batchSize: number;
}

/** Takes the messages of a queue, batch by batch. */
export interface QueueReader {
  /** Stops waiting for more: reads until the queue is empty or `signal` aborts. */
  finish(signal?: AbortSignal): Promise<void>;
  /** Stops once the batch in progress is handled. */
  stop(): Promise<void>;
  /** Rejects when a batch cannot be handled, for instance because the reader of our output is gone. */
  readonly failed: Promise<never>;
}

/** Starts reading a queue. The messages that `handle` returns are deleted; others come again. */
export function readBatches(
  queue: QueueReadOptions,
  handle: (messages: readonly Message[]) => Promise<readonly Message[]>,
): QueueReader {
  const finishing = new AbortController();
  const readNext = async () => {
    const messages = await receive(queue);
    await deleteMessages(queue.sqs, queue.queueName, await handle(messages));
    return messages.length;
  };
  const loop = async () => {
    for (;;) {
      await queue.awaitMessages(queue.queueName, finishing.signal);
      if (finishing.signal.aborted) return;
      await readNext();
    }
  };
  const running = loop();
  const failed = new Promise<never>((_, reject) => {
    running.catch(reject);
  });
  // Not an unhandled rejection when nobody waits for it yet.
  failed.catch(() => {});
  const stop = async () => {
    finishing.abort();
    await running;
  };
  return {
    failed,
    stop,
    finish: async (signal) => {
      await stop();
      while (signal?.aborted !== true) if ((await readNext()) === 0 && isEmpty(queue)) return;
    },
  };
}

/** Starts reading a queue that is not FIFO, message by message. One is deleted once `take` has settled. */
export function readQueue(queue: QueueReadOptions, take: (body: string) => Promise<void>): QueueReader {
  return readBatches(queue, async (messages) => {
    for (const { Body = '' } of messages) await take(Body);
    return messages;
  });
}

async function receive({ sqs, queueName, batchSize }: QueueReadOptions): Promise<Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl(queueName),
      MaxNumberOfMessages: batchSize,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  return Messages;
}

/** Deletes messages that were received, at most ten. */
export async function deleteMessages(
  sqs: SQSClient,
  queueName: string,
  messages: readonly Message[],
): Promise<void> {
  if (messages.length === 0) return;
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl(queueName), Entries }));
}

/** Whether nothing is visible or in flight. */
function isEmpty(queue: QueueReadOptions): boolean {
  const { visible, inFlight } = countMessages(queue, queue.queueName);
  return visible === 0 && inFlight === 0;
}
