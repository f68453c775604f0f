import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, expect, test } from 'vitest';
import { createWebhookQueue } from '#shared/adapters/sqs/sender.ts';
import { mockClient } from '#test/support/mock-client.ts';

const client = new SQSClient({ region: 'local' });
const sqs = mockClient(client);
const queue = createWebhookQueue({
  client,
  queueUrl: 'https://sqs/queue',
  deadLetterQueueUrl: 'https://sqs/dead',
});

beforeEach(() => {
  sqs.reset();
});

test('a message comes back with a delay, or is given up to the dead letters', async () => {
  sqs.on(SendMessageCommand).resolves({});
  await queue.sendLater('body', 900);
  await queue.giveUp('body');
  expect(sqs.commandCalls(SendMessageCommand).map(({ args }) => args[0].input)).toEqual([
    { QueueUrl: 'https://sqs/queue', MessageBody: 'body', DelaySeconds: 900 },
    { QueueUrl: 'https://sqs/dead', MessageBody: 'body' },
  ]);
});

test('a message that is not taken is an error that may pass', async () => {
  sqs.on(SendMessageCommand).rejects(Object.assign(new Error('no'), { name: 'ThrottlingException' }));
  await expect(queue.giveUp('body')).rejects.toMatchObject({
    ...{ code: 'queue_unavailable', retryable: true },
    message:
      'the queue https://sqs/dead did not accept a message (ThrottlingException); the message that caused it is tried again',
  });
});
