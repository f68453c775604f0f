import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, test } from 'vitest';
import { createQueuePublisher } from '#shared/adapters/sns/queue-publisher.ts';
import { mockClient } from '#test/support/mock-client.ts';

const QUEUE_URL = 'https://sqs.example/queue';
const KILOBYTE = 1_024;

const sqs = mockClient(SQSClient);
/** Ids of the events in each request. */
let requests: string[][];

beforeEach(() => {
  sqs.reset();
  requests = [];
});

test('an event goes out byte for byte, with the attributes of its topic and those of the publisher', async () => {
  answerWith(() => true);
  const text = event('a', { organisationId: '16_1', departmentId: null, late: ['close'] });
  const attributes = { replayed: 'true' };
  const result = await createQueuePublisher({
    client: new SQSClient({}),
    queueUrl: QUEUE_URL,
    attributes,
  }).publish([text]);
  expect(result).toEqual({ published: 1, unpublished: [], requests: 1 });
  expect(sqs.commandCalls(SendMessageBatchCommand)[0]?.args[0].input).toEqual({
    QueueUrl: QUEUE_URL,
    Entries: [
      {
        Id: '0',
        MessageBody: text,
        MessageAttributes: {
          type: { DataType: 'String', StringValue: 'workforce.timesheet.approved' },
          connection: { DataType: 'String', StringValue: 'acme' },
          organisationId: { DataType: 'String', StringValue: '16_1' },
          late: { DataType: 'String', StringValue: 'true' },
          replayed: { DataType: 'String', StringValue: 'true' },
        },
      },
    ],
  });
});

describe('many events', () => {
  test('go out ten a request, in their order', async () => {
    answerWith(() => true);
    const ids = Array.from({ length: 23 }, (_, index) => `e${index}`);
    const result = await publisher().publish(ids.map((id) => event(id)));
    expect(result).toEqual({ published: 23, unpublished: [], requests: 3 });
    expect(requests).toEqual([ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)]);
  });

  test('of which a few are large go out within 256 KB a request', async () => {
    answerWith(() => true);
    const large = (id: string) => event(id, { note: 'x'.repeat(100 * KILOBYTE) });
    await publisher().publish([large('a'), large('b'), large('c'), event('d')]);
    expect(requests).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  test('of which one is not taken stop there: what is behind it may be of the same record', async () => {
    answerWith((id) => id !== 'e4');
    const ids = Array.from({ length: 12 }, (_, index) => `e${index}`);
    const result = await publisher().publish(ids.map((id) => event(id)));
    expect(result).toEqual({ published: 9, unpublished: [4, 10, 11], requests: 1 });
  });

  test('whose request fails count as not taken', async () => {
    sqs.on(SendMessageBatchCommand).rejects(new Error('no queue'));
    expect(await publisher().publish([event('a'), event('b')])).toEqual({
      published: 0,
      unpublished: [0, 1],
      requests: 1,
    });
  });

  test('of which one is not an event are reported by their positions in the list', async () => {
    answerWith(() => true);
    const result = await publisher().publish(['no event', event('a'), '{}']);
    expect(result).toEqual({ published: 1, unpublished: [0, 2], requests: 1 });
    expect(requests).toEqual([['a']]);
  });
});

function publisher() {
  return createQueuePublisher({ client: new SQSClient({}), queueUrl: QUEUE_URL });
}

/** A queue that accepts an event or does not. */
function answerWith(takes: (id: string) => boolean): void {
  sqs
    .on(SendMessageBatchCommand)
    .callsFake(({ Entries }: { Entries: { Id: string; MessageBody: string }[] }) => {
      const entries = Entries.map(({ Id, MessageBody }) => ({
        Id,
        event: JSON.parse(MessageBody).id as string,
      }));
      requests.push(entries.map(({ event: id }) => id));
      return {
        Successful: entries.filter(({ event: id }) => takes(id)).map(({ Id }) => ({ Id })),
        Failed: entries
          .filter(({ event: id }) => !takes(id))
          .map(({ Id }) => ({ Id, Code: 'InternalError' })),
      };
    });
}

function event(id: string, data: object = {}): string {
  return JSON.stringify({
    id,
    type: 'workforce.timesheet.approved',
    source: '/workforce/acme/timesheets',
    subject: `${id}_1`,
    connection: 'acme',
    data,
  });
}
