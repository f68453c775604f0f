import { SendMessageCommand, type SendMessageCommandInput, type SQSClient } from '@aws-sdk/client-sqs';
import { NotifierError } from '../../core/errors.ts';

/** A message as SQS takes it, but for its queue. */
export type OutgoingMessage = Omit<SendMessageCommandInput, 'QueueUrl'>;

/** Sends messages to one queue. Throws `NotifierError` `queue_unavailable` (retryable) when one is not taken. */
export function createQueueSender(client: SQSClient, queueUrl: string) {
  return async (message: OutgoingMessage): Promise<void> => {
    try {
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, ...message }));
    } catch (cause) {
      const name = cause instanceof Error ? cause.name : 'unknown error';
      throw new NotifierError(
        'queue_unavailable',
        `the queue ${queueUrl} did not take a message (${name}); the message it came from is tried again`,
        { retryable: true, cause },
      );
    }
  };
}
