import * as z from 'zod';
import {
  CONSOLE_QUEUE_ATTRIBUTES,
  type QueueAccess,
  type QueueReader,
  readQueue,
} from '#local/aws/functions/queue-messages.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { applyQueue, applySubscription } from '#local/aws/template/apply.ts';
import { localArn } from '#local/aws/template/local-account.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { ReceivedIds } from '../../receivers/server.ts';

const QUEUE_NAME = 'local-console';
const BATCH_SIZE = 10;

/** The SNS envelope, absent with raw message delivery. */
const notificationSchema = z.looseObject({
  Type: z.literal('Notification'),
  Message: z.string(),
});

/** Creates the queue and subscribes it to topics. Idempotent. */
export async function subscribeConsole(aws: LocalAws, topicArns: readonly string[]): Promise<void> {
  await applyQueue(aws.sqs, QUEUE_NAME, CONSOLE_QUEUE_ATTRIBUTES);
  const queueArn = localArn('sqs', QUEUE_NAME);
  // Not raw, so that the body of a message holds its attributes.
  const attributes = { RawMessageDelivery: 'false' };
  await Promise.all(
    topicArns.map((topicArn) => applySubscription(aws.sns, { topicArn, queueArn, attributes })),
  );
}

interface DeliveryPorts {
  readonly aws: QueueAccess;
  readonly received: ReceivedIds;
}

/**
 * Starts reading events like any subscriber, from its own queue. A message is deleted once `deliver` has settled. An event
 * comes again when its poll was killed before it noted what it had published: repeats are dropped by their id.
 * `deliver` gets the event byte for byte as published.
 */
export function startDelivery(
  { aws, received }: DeliveryPorts,
  deliver: (text: string) => Promise<void>,
): QueueReader {
  const queue = { ...aws, queueName: QUEUE_NAME, batchSize: BATCH_SIZE };
  return readQueue(queue, async (body) => {
    const { Message: text } = notificationSchema.parse(JSON.parse(body));
    const id = readId(text);
    if (id !== null && received.has(QUEUE_NAME, id)) return;
    await deliver(text);
    if (id !== null) received.add(QUEUE_NAME, id);
  });
}

const eventSchema = z.looseObject({ id: z.string() });

/** Null for what is no event. */
function readId(text: string): string | null {
  return eventSchema.safeParse(parseJsonOrNull(text)).data?.id ?? null;
}
