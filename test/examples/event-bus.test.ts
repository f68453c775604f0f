import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { synthesize } from '#test/infra/synthesized.ts';
import { EventsOnBus, queues } from '../../examples/event-bus.ts';

/** The example of a stack that puts events on a bus of EventBridge. */

const template = Template.fromStack(new EventsOnBus(new App(), 'Bus'));
const QUEUE = Match.objectLike({
  'Fn::Join': ['', Match.arrayWith([Match.stringLikeRegexp(':workforce-notifier-event-bus$')])],
});
const BUS = Match.objectLike({
  'Fn::Join': ['', Match.arrayWith([Match.stringLikeRegexp(':event-bus/workforce$')])],
});

test('its queue gets the events of the topics that are always polled, under the name that the stack reads', () => {
  const [queue] = queues ?? [];
  expect(queue?.topics.toSorted()).toEqual(
    EVENT_TOPIC_NAMES.filter((name) => name !== 'directory').toSorted(),
  );
  const { properties } = synthesize({ queues }).at('Queue-event-bus/Queue');
  expect(properties.QueueName).toBe('workforce-notifier-event-bus');
});

test('a pipe puts each event on the bus whole, by its source, type and time', () => {
  template.hasResourceProperties('AWS::Pipes::Pipe', {
    Source: QUEUE,
    Target: BUS,
    TargetParameters: {
      InputTemplate: '<$.body>',
      EventBridgeEventBusParameters: {
        Source: '$.body.source',
        DetailType: '$.body.type',
        Time: '$.body.time',
      },
    },
  });
});

test('the pipe may read that queue and put on that bus, and do nothing else', () => {
  template.resourceCountIs('AWS::IAM::Policy', 1);
  template.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: [
        {
          Effect: 'Allow',
          Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
          Resource: QUEUE,
        },
        { Effect: 'Allow', Action: 'events:PutEvents', Resource: BUS },
      ],
    },
  });
  template.hasResourceProperties('AWS::IAM::Role', {
    AssumeRolePolicyDocument: {
      Statement: [Match.objectLike({ Principal: { Service: 'pipes.amazonaws.com' } })],
    },
  });
});
