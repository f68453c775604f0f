import type { SQSClient } from '@aws-sdk/client-sqs';
import { applyQueue, applySubscription } from '#local/aws/apply-messaging.ts';
import { localArn } from '#local/aws/local-account.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { PRINTED_QUEUE, type QueueReader, readQueue } from '#local/aws/queue-messages.ts';

const QUEUE_NAME = 'local-console';
const BATCH_SIZE = 10;

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
