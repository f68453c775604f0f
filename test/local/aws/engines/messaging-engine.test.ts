import {
  ChangeMessageVisibilityCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { Consumer, type ConsumerOptions } from 'sqs-consumer';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSqsClient } from '#local/aws/engines/clients.ts';
import { type DataFolder, openDataFolder } from '#local/aws/engines/data-folder.ts';
import { type MessagingEngine, startMessaging } from '#local/aws/engines/messaging-engine.ts';
import { queueUrl } from '#local/aws/functions/queue-messages.ts';
import { applyQueue } from '#local/aws/template/apply.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';
import { eventually } from '#test/support/eventually.ts';

/** A consumer of a subscriber, as its users run it: the library that most Node services take messages with. */

const KEY = 'key-of-this-run';
const STANDARD = 'jobs';
const FIFO = 'jobs.fifo';

let folder: DataFolder;
let engine: MessagingEngine;
let sqs: SQSClient;

const start = async () => {
  engine = await startMessaging(folder, KEY);
  sqs = createSqsClient({ messaging: engine.endpoint, accessKeyId: KEY });
};
const stop = async () => {
  sqs.destroy();
  await engine.stop();
};

beforeEach(async () => {
  folder = await openDataFolder(createTemporaryFolder('data'));
  await start();
});

afterEach(async () => {
  await stop();
  folder.release();
});

describe.each([
  ['a standard queue', STANDARD, ['one', 'two', 'one']],
  ['a FIFO group', FIFO, ['one', 'one', 'two']],
])('of %s', (_, queue, order) => {
  test('a message that is given back because its handler threw is received again', async () => {
    await fill(queue);
    const handled: string[] = [];
    const errors = await consume(queue, {
      handleMessage: async (message) => {
        handled.push(message.Body ?? '');
        if (handled.length === 1) throw new Error('not now');
        return message;
      },
    });
    expect(handled).toEqual(order);
    expect(errors).toEqual([]);
  });

  test('a message that is given back is there after a restart, and how often it was received', async () => {
    await fill(queue);
    const QueueUrl = queueUrl(queue);
    const { Messages: [{ ReceiptHandle } = {}] = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl }),
    );
    await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
    await stop();
    await start();
    const { ready = [] } = engine.inspectQueue(queue)?.messages ?? {};
    expect(ready.map(({ body, approximateReceiveCount: count }) => [body, count])).toEqual([
      ['one', 1],
      ['two', 0],
    ]);
  });
});

async function fill(queue: string): Promise<void> {
  const isFifo = queue === FIFO;
  await applyQueue(sqs, queue, isFifo ? { FifoQueue: 'true' } : {});
  for (const MessageBody of ['one', 'two']) {
    const inGroup = isFifo ? { MessageGroupId: 'group', MessageDeduplicationId: MessageBody } : {};
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(queue), MessageBody, ...inGroup }));
  }
}

/** Consumes until the queue is empty. Returns the errors that the consumer tells of, but for those of a single handler. */
async function consume(queue: string, handlers: Partial<ConsumerOptions>): Promise<string[]> {
  const given = { sqs, queueUrl: queueUrl(queue), suppressFifoWarning: true };
  const consumer = Consumer.create({ ...given, terminateVisibilityTimeout: true, ...handlers });
  const errors: string[] = [];
  consumer.on('error', (error) => errors.push(error.message));
  consumer.on('processing_error', () => {});
  const stopped = new Promise<unknown>((resolve) => {
    consumer.on('stopped', resolve);
  });
  consumer.start();
  await eventually(() => {
    const { ready, inflight } = engine.inspectQueue(queue)?.messages ?? { ready: [1], inflight: [1] };
    expect([...ready, ...inflight]).toEqual([]);
  });
  consumer.stop({ abort: true });
  await stopped;
  return errors;
}
