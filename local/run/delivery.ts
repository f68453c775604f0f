import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { applyQueue, applySubscription } from '#local/aws/apply-messaging.ts';
import { LOCAL_ACCOUNT, localArn } from '#local/aws/local-account.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';

const QUEUE_NAME = 'local-console';
const QUEUE_URL = `http://sqs.local/${LOCAL_ACCOUNT}/${QUEUE_NAME}`;
/**
 * The longest SQS knows: a reader of our output that takes its time must not make a message come twice. What a
 * killed run had in its hands is given back when the next one starts.
 */
const VISIBILITY_SECONDS = 43_200;
const RETENTION_SECONDS = 1_209_600;
const BATCH_SIZE = 10;
/**
 * Short, because a receive cannot be called off: messages that arrive after its caller has left would be handed to
 * nobody and stay hidden. SQS wants whole seconds, the queue of this machine does not mind.
 */
const WAIT_SECONDS = 0.1;

/** Takes events as any subscriber would: from a queue of its own, deleting what has been printed. */
export interface Delivery {
  /** Ends the waiting for more. Delivers what is in the queue until it is empty or `signal` says stop. */
  finish(signal?: AbortSignal): Promise<void>;
  /** Rejects when delivering fails, for instance because the reader of our output is gone. */
  readonly failed: Promise<never>;
}

/** Makes the queue and subscribes it, raw, to topics. Done again it changes nothing. */
export async function subscribeConsole(aws: LocalAws, topicArns: readonly string[]): Promise<void> {
  await applyQueue(aws.sqs, QUEUE_NAME, {
    VisibilityTimeout: String(VISIBILITY_SECONDS),
    MessageRetentionPeriod: String(RETENTION_SECONDS),
  });
  const queueArn = localArn('sqs', QUEUE_NAME);
  const attributes = { RawMessageDelivery: 'true' };
  await Promise.all(
    topicArns.map((topicArn) => applySubscription(aws.sns, { topicArn, queueArn, attributes })),
  );
}

/** Starts to deliver: `deliver` gets each message and answers when it has arrived; only then it is deleted. */
export function startDelivery(sqs: SQSClient, deliver: (body: string) => Promise<void>): Delivery {
  let finishing = false;
  const loop = async () => {
    while (!finishing) await handOver(sqs, await receive(sqs, WAIT_SECONDS), deliver);
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
        const messages = await receive(sqs, 0);
        await handOver(sqs, messages, deliver);
        if (messages.length === 0 && (await isEmpty(sqs))) return;
      }
    },
  };
}

async function receive(sqs: SQSClient, WaitTimeSeconds: number): Promise<Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: QUEUE_URL, MaxNumberOfMessages: BATCH_SIZE, WaitTimeSeconds }),
  );
  return Messages;
}

async function handOver(
  sqs: SQSClient,
  messages: readonly Message[],
  deliver: (body: string) => Promise<void>,
): Promise<void> {
  if (messages.length === 0) return;
  for (const { Body = '' } of messages) await deliver(Body);
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: QUEUE_URL, Entries }));
}

/** Whether nothing is in the queue, in nobody's hands either. */
async function isEmpty(sqs: SQSClient): Promise<boolean> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const command = new GetQueueAttributesCommand({ QueueUrl: QUEUE_URL, AttributeNames: [...names] });
  const { Attributes = {} } = await sqs.send(command);
  return names.every((name) => Attributes[name] === '0');
}
