import { ListSubscriptionsByTopicCommand, NotFoundException, SNSClient } from '@aws-sdk/client-sns';

import { beforeEach, expect, test } from 'vitest';
import { createEndpointList } from '#shared/adapters/sns/subscribed-endpoints.ts';
import { mockClient } from '#test/support/mock-client.ts';

const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:timesheets';
const client = new SNSClient({ region: 'eu-west-1' });
const sns = mockClient(client);
const list = createEndpointList(client);

beforeEach(() => sns.reset());

test('lists what is subscribed on all pages', async () => {
  sns
    .on(ListSubscriptionsByTopicCommand, { TopicArn: TOPIC })
    .resolvesOnce({ Subscriptions: [{ Endpoint: 'first' }, {}], NextToken: 'more' })
    .resolvesOnce({ Subscriptions: [{ Endpoint: 'second' }] });
  expect(await list(TOPIC)).toEqual(new Set(['first', 'second']));
  expect(sns.commandCalls(ListSubscriptionsByTopicCommand)[1]?.args[0].input).toMatchObject({
    NextToken: 'more',
  });
});

test('finds nobody at a topic that is gone, and throws what is no answer', async () => {
  const gone = new NotFoundException({ message: 'gone', $metadata: {} });
  sns.on(ListSubscriptionsByTopicCommand).rejectsOnce(gone).rejectsOnce(new Error('ThrottledException'));
  expect(await list(TOPIC)).toEqual(new Set());
  await expect(list(TOPIC)).rejects.toThrow('ThrottledException');
});
