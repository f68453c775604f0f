import type { SQSClient } from '@aws-sdk/client-sqs';
import type { WebhookQueue } from '#shared/webhooks/flow/webhook-run.ts';
import { createQueueSender } from './sender.ts';

export interface WebhookQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/** The queue of a webhook on SQS. Throws as `createQueueSender` does. */
export function createWebhookQueue({
  client,
  queueUrl,
  deadLetterQueueUrl,
}: WebhookQueueOptions): WebhookQueue {
  const send = createQueueSender(client, queueUrl);
  const giveUp = createQueueSender(client, deadLetterQueueUrl);
  return {
    sendLater: (body, delaySeconds) => send({ MessageBody: body, DelaySeconds: delaySeconds }),
    giveUp: (body) => giveUp({ MessageBody: body }),
  };
}
