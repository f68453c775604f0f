import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { synthesize } from '#test/infra/synthesized.ts';
import { EventsOnBus, queues } from '../../examples/event-bus.ts';

/** The example of a stack that puts events on a bus of EventBridge. */

test('its queue gets the events of the topics that are always polled, under the name that the stack reads', () => {
  const [queue] = queues ?? [];
  expect(queue?.topics.toSorted()).toEqual(
    EVENT_TOPIC_NAMES.filter((name) => name !== 'directory').toSorted(),
  );
  const { properties } = synthesize({ queues }).at('Queue-event-bus/Queue');
  expect(properties.QueueName).toBe('workforce-notifier-event-bus');
});

test('its pipe may read that queue and put each event on the bus, and do nothing else', async () => {
  const template = Template.fromStack(new EventsOnBus(new App(), 'Bus')).toJSON();
  await expect(`${JSON.stringify(template.Resources, null, 2)}\n`).toMatchFileSnapshot(
    'golden/event-bus.json',
  );
});
