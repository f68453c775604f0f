import { beforeAll, expect, test } from 'vitest';
import { BUS_ENVIRONMENT } from '#functions/deliver-to-bus.ts';
import { readEnvironment } from '#shared/config/environment.ts';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { environmentOf, partsOf, type Synthesized, synthesize, triggersOf } from './synthesized.ts';

const ARN = 'arn:aws:events:eu-west-1:111122223333:event-bus/workforce';

let built: Synthesized;

beforeAll(() => {
  built = synthesize({ eventBus: 'workforce' });
});

test('without a bus in the config there is nothing of it', () => {
  expect(synthesize().resources.filter(({ path }) => path.startsWith('EventBus'))).toEqual([]);
});

test('the bus gets every event of every topic, raw', () => {
  for (const topic of EVENT_TOPIC_NAMES) {
    expect(built.at(`EventBus/${topic}`).properties).toEqual({
      TopicArn: `<Topics/${topic}>`,
      Protocol: 'sqs',
      Endpoint: '<EventBus/Queue.Arn>',
      RawMessageDelivery: true,
      RedrivePolicy: { deadLetterTargetArn: '<EventBus/DeadLetters.Arn>' },
    });
  }
});

test('the bus has its own queue, whose messages are tried for more than three days', () => {
  const { properties } = built.at('EventBus/Queue');
  expect(properties).toEqual({
    QueueName: 'workforce-notifier-event-bus',
    MessageRetentionPeriod: 14 * 86_400,
    VisibilityTimeout: 300,
    SqsManagedSseEnabled: true,
    RedrivePolicy: { deadLetterTargetArn: '<EventBus/DeadLetters.Arn>', maxReceiveCount: 1_000 },
  });
  const [trigger] = triggersOf(built, 'EventBus');
  expect(trigger?.properties).toEqual({
    BatchSize: 10,
    EventSourceArn: '<EventBus/Queue.Arn>',
    FunctionName: '<EventBus/Function>',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 5 },
  });
});

test.each(['workforce', ARN])('its function is told the bus: %s', (eventBus) => {
  const { at } = synthesize({ eventBus });
  expect(at('EventBus/Function').properties).toMatchObject({
    FunctionName: 'workforce-notifier-event-bus',
    Description: 'Puts events on the bus workforce',
  });
  expect(readEnvironment(BUS_ENVIRONMENT, environmentOf(at('EventBus/Function')))).toEqual({
    eventBus,
    deadLetterQueueUrl: '<EventBus/DeadLetters>',
  });
});

test('the command line finds its queues', () => {
  expect(partsOf(built)).toMatchObject({
    'queues/event-bus/url': '<EventBus/Queue>',
    'queues/event-bus/dead-letters/url': '<EventBus/DeadLetters>',
  });
});
