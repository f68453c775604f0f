import { SendMessageCommand, type SendMessageCommandInput, type SQSClient } from '@aws-sdk/client-sqs';
import type { ChatDeadLetters } from '#shared/people/flow/deliver-chat.ts';
import type { WebhookQueue } from '#shared/systems/flow/webhook-run.ts';
import { NotifierError } from '../../core/errors.ts';

/** A message without its queue. */
type OutgoingMessage = Omit<SendMessageCommandInput, 'QueueUrl'>;

/** Sends messages to one queue. The function throws `NotifierError` `queue_unavailable` (retryable). */
function createQueueSender(client: SQSClient, queueUrl: string) {
  return async (message: OutgoingMessage): Promise<void> => {
    try {
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, ...message }));
    } catch (cause) {
      const name = cause instanceof Error ? cause.name : 'unknown error';
      throw new NotifierError(
        'queue_unavailable',
        `the queue ${queueUrl} did not accept a message (${name}); the message that caused it is tried again`,
        { retryable: true, cause },
      );
    }
  };
}

interface ChatDeadLettersOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Name of the channel, whose messages keep their order. */
  readonly channel: string;
}

/** The dead-letter queue of a Slack channel on SQS. Throws as `createQueueSender` does. */
export function createChatDeadLetters({
  client,
  queueUrl,
  channel,
}: ChatDeadLettersOptions): ChatDeadLetters {
  const send = createQueueSender(client, queueUrl);
  return {
    // A message that is given up twice, because the process died after the first time, is in the queue once.
    giveUp: ({ id, body }) =>
      send({ MessageBody: body, MessageGroupId: channel, MessageDeduplicationId: id }),
  };
}

/** Sends what starts a function after a delay of whole seconds. Throws as `createQueueSender` does. */
export function createDelayedSender(client: SQSClient, queueUrl: string) {
  const send = createQueueSender(client, queueUrl);
  return (request: object, delaySeconds: number) =>
    send({ MessageBody: JSON.stringify(request), DelaySeconds: delaySeconds });
}

interface WebhookQueueOptions {
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
