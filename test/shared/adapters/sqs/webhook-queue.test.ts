import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { createWebhookQueue } from '#shared/adapters/sqs/sender.ts';

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

describe('a message', () => {
  test('to come back later is sent to the queue, with a delay', async () => {
    sqs.on(SendMessageCommand).resolves({});

    await queue.sendLater('body', 900);

    expect(sent()).toEqual([{ QueueUrl: 'https://sqs/queue', MessageBody: 'body', DelaySeconds: 900 }]);
  });

  test('that is given up is sent to the dead letters', async () => {
    sqs.on(SendMessageCommand).resolves({});

    await queue.giveUp('body');

    expect(sent()).toEqual([{ QueueUrl: 'https://sqs/dead', MessageBody: 'body' }]);
  });

  test('that is not taken is an error that may pass', async () => {
    sqs.on(SendMessageCommand).rejects(Object.assign(new Error('no'), { name: 'ThrottlingException' }));

    await expect(queue.giveUp('body')).rejects.toMatchObject({
      code: 'queue_unavailable',
      retryable: true,
      message:
        'the queue https://sqs/dead did not accept a message (ThrottlingException); the message that caused it is tried again',
    });
  });
});

function sent() {
  return sqs.commandCalls(SendMessageCommand).map(({ args }) => args[0].input);
}
