import type { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import {
  CONSOLE_QUEUE_ATTRIBUTES,
  type QueueReader,
  readQueue,
} from '#local/aws/functions/queue-messages.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { applyQueue, applySubscription } from '#local/aws/template/apply/messaging.ts';
import { localArn } from '#local/aws/template/local-account.ts';
import { REPLAYED_ATTRIBUTE } from '#shared/config/names.ts';

const QUEUE_NAME = 'local-console';
const BATCH_SIZE = 10;

/** What SNS wraps around a message that is not delivered raw. */
const notificationSchema = z.looseObject({
  Type: z.literal('Notification'),
  Message: z.string(),
  MessageAttributes: z.record(z.string(), z.looseObject({ Value: z.string() })).default({}),
});

/** A message as it was published. */
export interface Delivered {
  /** Byte for byte. */
  readonly text: string;
  /** Whether somebody asked for it again. */
  readonly replayed: boolean;
}

/** Makes the queue and subscribes it to topics. Done again it changes nothing. */
export async function subscribeConsole(aws: LocalAws, topicArns: readonly string[]): Promise<void> {
  await applyQueue(aws.sqs, QUEUE_NAME, CONSOLE_QUEUE_ATTRIBUTES);
  const queueArn = localArn('sqs', QUEUE_NAME);
  // Not raw: so a message brings its attributes along in its body.
  const attributes = { RawMessageDelivery: 'false' };
  await Promise.all(
    topicArns.map((topicArn) => applySubscription(aws.sns, { topicArn, queueArn, attributes })),
  );
}

/**
 * Starts to take events as any subscriber would: from a queue of its own. `deliver` gets each message and answers
 * when it has arrived; only then it is deleted.
 */
export function startDelivery(sqs: SQSClient, deliver: (delivered: Delivered) => Promise<void>): QueueReader {
  const queue = { sqs, queueName: QUEUE_NAME, batchSize: BATCH_SIZE };
  return readQueue(queue, (body) => deliver(parseDelivered(body)));
}

/** What an earlier version of this program has left in the queue is raw. */
function parseDelivered(body: string): Delivered {
  const notification = notificationSchema.safeParse(parseJson(body));
  if (!notification.success) return { text: body, replayed: false };
  const { Message: text, MessageAttributes } = notification.data;
  return { text, replayed: MessageAttributes[REPLAYED_ATTRIBUTE]?.Value === 'true' };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON was published so, and is delivered so.
    return null;
  }
}
