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

/** Reads the messages of a queue, batch by batch. */
export interface QueueReader {
  /** Stops waiting for more: reads until the queue is empty or `signal` aborts. */
  finish(signal?: AbortSignal): Promise<void>;
  /** Rejects when `take` fails, for instance because the reader of our output is gone. */
  readonly failed: Promise<never>;
}

/** How queues are read, looked at, and waited for. */
export interface QueueAccess extends Pick<MessagingEngine, 'inspectQueue' | 'awaitMessages'> {
  readonly sqs: SQSClient;
}

export interface QueueReadOptions extends QueueAccess {
  readonly queueName: string;
  /** The most messages that are read twice when the run is killed. */
  readonly batchSize: number;
}

/** Starts reading a queue that is not FIFO. A message is deleted once `take` has settled. */
export function readQueue(queue: QueueReadOptions, take: (body: string) => Promise<void>): QueueReader {
  const finishing = new AbortController();
  const loop = async () => {
    for (;;) {
      await queue.awaitMessages(queue.queueName, finishing.signal);
      if (finishing.signal.aborted) return;
      await processMessages(queue, await receive(queue), take);
    }
  };
  const running = loop();
  return {
    failed: failureOf(running),
    finish: async (signal) => {
      finishing.abort();
      await running;
      while (signal?.aborted !== true) {
        const messages = await receive(queue);
        await processMessages(queue, messages, take);
        if (messages.length === 0 && isEmpty(queue)) return;
      }
    },
  };
}

/** Rejects as a task does, and never settles otherwise. */
export function failureOf(running: Promise<unknown>): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    running.catch(reject);
  });
  // Not an unhandled rejection when nobody waits for it yet.
  failed.catch(() => {});
  return failed;
}

async function receive({ sqs, queueName, batchSize }: QueueReadOptions): Promise<Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queueUrl(queueName), MaxNumberOfMessages: batchSize }),
  );
  return Messages;
}

async function processMessages(
  { sqs, queueName }: QueueReadOptions,
  messages: readonly Message[],
  take: (body: string) => Promise<void>,
): Promise<void> {
  for (const { Body = '' } of messages) await take(Body);
  await deleteMessages(sqs, queueName, messages);
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
