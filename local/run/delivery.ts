import type { SQSClient } from '@aws-sdk/client-sqs';
import { applyQueue, applySubscription } from '#local/aws/apply-messaging.ts';
import { localArn } from '#local/aws/local-account.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { type QueueReader, readQueue } from '#local/aws/queue-messages.ts';

const QUEUE_NAME = 'local-console';
/**
 * The longest SQS knows: a reader of our output that takes its time must not make a message come twice. What a
 * killed run had in its hands is given back when the next one starts.
 */
const VISIBILITY_SECONDS = 43_200;
const RETENTION_SECONDS = 1_209_600;
const BATCH_SIZE = 10;

/** What a queue of ours is like whose messages are gone when they are printed. */
export const PRINTED_QUEUE = {
  VisibilityTimeout: String(VISIBILITY_SECONDS),
  MessageRetentionPeriod: String(RETENTION_SECONDS),
} as const;

/** Makes the queue and subscribes it, raw, to topics. Done again it changes nothing. */
export async function subscribeConsole(aws: LocalAws, topicArns: readonly string[]): Promise<void> {
  await applyQueue(aws.sqs, QUEUE_NAME, PRINTED_QUEUE);
  const queueArn = localArn('sqs', QUEUE_NAME);
  const attributes = { RawMessageDelivery: 'true' };
  await Promise.all(
    topicArns.map((topicArn) => applySubscription(aws.sns, { topicArn, queueArn, attributes })),
  );
}

/**
 * Starts to take events as any subscriber would: from a queue of its own. `deliver` gets each message and answers
 * when it has arrived; only then it is deleted.
 */
export function startDelivery(sqs: SQSClient, deliver: (body: string) => Promise<void>): QueueReader {
  return readQueue({ sqs, queueName: QUEUE_NAME, batchSize: BATCH_SIZE }, deliver);
}
