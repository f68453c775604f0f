import type { SQSClient } from '@aws-sdk/client-sqs';
import type { BusDeadLetters } from '#shared/event-bus/flow/deliver-to-bus.ts';
import { createQueueSender } from './sender.ts';

/** The dead-letter queue of the function that puts events on a bus. Throws as `createQueueSender` does. */
export function createBusDeadLetters({
  client,
  queueUrl,
}: {
  readonly client: SQSClient;
  readonly queueUrl: string;
}): BusDeadLetters {
  const send = createQueueSender(client, queueUrl);
  return {
    giveUp: ({ body, attributes }) => {
      const kept = Object.entries(attributes).map(([name, StringValue]) => [
        name,
        { DataType: 'String', StringValue },
      ]);
      return send({
        MessageBody: body,
        ...(kept.length === 0 ? {} : { MessageAttributes: Object.fromEntries(kept) }),
      });
    },
  };
}
