import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { BatchResult, QueueMessage } from '#shared/ports/queue.ts';

/** The messages of a batch. Attributes that hold no text are left out. */
export function toQueueMessages({ Records }: SQSEvent): QueueMessage[] {
  return Records.map(({ messageId, body, messageAttributes }) => ({
    id: messageId,
    body,
    attributes: Object.fromEntries(
      Object.entries(messageAttributes).flatMap(([name, { stringValue }]) =>
        stringValue === undefined ? [] : [[name, stringValue]],
      ),
    ),
  }));
}

/** What a function answers to the queue: the messages that are to come back. */
export function toBatchResponse({ failed }: BatchResult): SQSBatchResponse {
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}
