import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { EventPublisher, PublishResult } from '../../ports/poll.ts';
import { type ExtraAttributes, type Message, toEventMessage } from './message.ts';

/** Bounds that SQS sets to one request. */
const MAX_BATCH_ENTRIES = 10;
const MAX_BATCH_BYTES = 256 * 1024;

export interface QueuePublisherOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Attributes of every message besides those of its event. */
  readonly attributes?: ExtraAttributes;
}

/**
 * Publishes CloudEvents to one queue, with the attributes that SNS hands on with a raw delivery, one request after
 * another. As soon as a message is not taken it stops: what is behind it may be of the same record. Never throws for
 * what SQS does.
 */
export function createQueuePublisher(options: QueuePublisherOptions): EventPublisher {
  return {
    async publish(texts): Promise<PublishResult> {
      const messages = texts.map((text, position) => toEventMessage(text, position, options.attributes));
      const batches = splitIntoBatches(messages.filter((message) => message !== null));
      const taken = new Set<number>();
      let requests = 0;
      for (const batch of batches) {
        requests += 1;
        const positions = await send(batch, options);
        for (const position of positions) taken.add(position);
        if (positions.length < batch.length) break;
      }
      const unpublished = texts.flatMap((_, position) => (taken.has(position) ? [] : [position]));
      return { published: taken.size, unpublished, requests };
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

/** The positions of the messages that were taken. */
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
    // The client has tried again already; nothing of this request counts as taken.
    return [];
  }
}
