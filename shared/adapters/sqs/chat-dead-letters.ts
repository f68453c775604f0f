import type { SQSClient } from '@aws-sdk/client-sqs';
import type { ChatDeadLetters } from '#shared/alerts/flow/deliver-chat.ts';
import { createQueueSender } from './sender.ts';

export interface ChatDeadLettersOptions {
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
