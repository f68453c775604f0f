import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { EventPublisher, PublishResult } from '#shared/flow/poll/ports.ts';
import {
  type ExtraAttributes,
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  type Message,
  toEventMessage,
} from './message.ts';

export interface QueuePublisherOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly attributes?: ExtraAttributes;
}

/**
 * Publishes CloudEvents to one queue, with the attributes that SNS passes on with a raw delivery, one request after
 * another. Stops as soon as a message is not accepted, because later ones may belong to the same record. Never throws
 * for what SQS does.
 */
export function createQueuePublisher(options: QueuePublisherOptions): EventPublisher {
  return {
    async publish(texts): Promise<PublishResult> {
      const messages = texts.map((text, position) => toEventMessage(text, position, options.attributes));
      const batches = splitIntoBatches(messages.filter((message) => message !== null));
      const accepted = new Set<number>();
      let requests = 0;
      for (const batch of batches) {
        requests += 1;
        const positions = await send(batch, options);
        for (const position of positions) accepted.add(position);
        if (positions.length < batch.length) break;
      }
      const unpublished = texts.flatMap((_, position) => (accepted.has(position) ? [] : [position]));
      return { published: accepted.size, unpublished, requests };
    },
  };
}

function splitIntoBatches(messages: readonly Message[]): Message[][] {
  const batches: Message[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const last = batches.at(-1);
    if (last === undefined || last.length === MAX_BATCH_ENTRIES || bytes + message.bytes > MAX_BATCH_BYTES) {
      batches.push([message]);
      bytes = message.bytes;
    } else {
      last.push(message);
      bytes += message.bytes;
    }
  }
  return batches;
}

/** Returns the positions of the messages that were accepted. */
async function send(
  batch: readonly Message[],
  { client, queueUrl }: QueuePublisherOptions,
): Promise<number[]> {
  const Entries = batch.map(({ entry }, index) => ({
    Id: String(index),
    MessageBody: entry.Message,
    MessageAttributes: entry.MessageAttributes,
  }));
  try {
    const { Successful = [] } = await client.send(
      new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }),
    );
    const ids = new Set(Successful.map(({ Id }) => Id));
    return batch.flatMap(({ position }, index) => (ids.has(String(index)) ? [position] : []));
  } catch {
    // The client has already tried again; none of the messages counts as accepted.
    return [];
  }
}
