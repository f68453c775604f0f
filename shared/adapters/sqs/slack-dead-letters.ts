import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SlackDeadLetters } from '../../ports/alerts.ts';
import { createQueueSender } from './sender.ts';

export interface SlackDeadLettersOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Name of the channel: its messages keep their order here too. */
  readonly channel: string;
}

/** The dead-letter queue of a Slack channel on SQS. Throws as `createQueueSender` does. */
export function createSlackDeadLetters({
  client,
  queueUrl,
  channel,
}: SlackDeadLettersOptions): SlackDeadLetters {
  const send = createQueueSender(client, queueUrl);
  return {
    // Given up again because its process died in between, it lies here once.
    giveUp: ({ id, body }) =>
      send({ MessageBody: body, MessageGroupId: channel, MessageDeduplicationId: id }),
  };
}
