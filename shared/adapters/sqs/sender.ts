import { SendMessageCommand, type SendMessageCommandInput, type SQSClient } from '@aws-sdk/client-sqs';
import { NotifierError } from '../../core/errors.ts';

/** A message without its queue. */
export type OutgoingMessage = Omit<SendMessageCommandInput, 'QueueUrl'>;

/** Sends messages to one queue. The function throws `NotifierError` `queue_unavailable` (retryable). */
export function createQueueSender(client: SQSClient, queueUrl: string) {
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
