import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { BatchResult, QueueMessage } from '#shared/flow/system.ts';

/** The messages of a batch. Binary attributes are left out. */
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

/** The response that makes SQS redeliver the failed messages only. */
export function toBatchResponse({ failed }: BatchResult): SQSBatchResponse {
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}
