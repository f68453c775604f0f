import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { NotifierError } from '../../core/errors.ts';
import type { WebhookQueue } from '../../delivery-ports.ts';

export interface WebhookQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/** The queue of a webhook on SQS. Throws `NotifierError` `queue_unavailable` (retryable) when a message is not taken. */
export function createWebhookQueue(options: WebhookQueueOptions): WebhookQueue {
  const { queueUrl, deadLetterQueueUrl } = options;
  return {
    sendLater: (body, delaySeconds) =>
      send(options, { QueueUrl: queueUrl, MessageBody: body, DelaySeconds: delaySeconds }),
    giveUp: (body) => send(options, { QueueUrl: deadLetterQueueUrl, MessageBody: body }),
  };
}

async function send(
  { client }: WebhookQueueOptions,
  message: ConstructorParameters<typeof SendMessageCommand>[0],
): Promise<void> {
  try {
    await client.send(new SendMessageCommand(message));
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : 'unknown error';
    throw new NotifierError(
      'queue_unavailable',
      `the queue ${message.QueueUrl} did not take a message (${name}); the message it came from is tried again`,
      { retryable: true, cause },
    );
  }
}
