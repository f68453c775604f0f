import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { ListSubscriptionsCommand, ListTopicsCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, ListQueuesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, expect, test } from 'vitest';
import { createDynamoDbClient } from '#local/aws/engines/clients.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { createTemporaryFolder, FIXTURE_TABLE, fixtureFunction, type Resources } from './fixture-assembly.ts';
import { startAws, stopAll } from './fixture-aws.ts';

afterEach(stopAll);

test('tables, topics, queues, subscriptions, functions and schedules of the template exist', async () => {
  const aws = await startAws(fixtureResources());
  const database = createDynamoDbClient(aws.endpoints);
  const TableName = 'Fixture-Table';
  const { Table } = await database.send(new DescribeTableCommand({ TableName }));
  expect(Table?.KeySchema).toEqual(FIXTURE_TABLE.Properties.KeySchema);
  database.destroy();
  const { Attributes } = await aws.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf('Fixture-Jobs'), AttributeNames: ['All'] }),
  );
  expect(Attributes).toMatchObject({ VisibilityTimeout: '45' });
  expect(JSON.parse(Attributes?.RedrivePolicy ?? '')).toEqual({
    deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:Fixture-DeadLetters',
    maxReceiveCount: 3,
  });
  expect(aws.deployment.functions).toMatchObject([
    {
      logicalId: 'Publish',
      environment: { TOPIC_ARN: 'arn:aws:sns:us-east-1:000000000000:Fixture-Events' },
      timeoutMs: 10_000,
    },
  ]);
  expect(aws.deployment.schedules).toEqual([
    { functionName: 'Fixture-Publish', intervalMs: 300_000, input: { scope: 'due' } },
  ]);
  expect(aws.deployment.mailboxes).toMatchObject([{ address: 'people@example.com', filterPolicy: null }]);
});

test('a function publishes through the topic, its filter and raw delivery into the queue', async () => {
  const aws = await startAws(fixtureResources());
  const kind = (StringValue: string) => ({ kind: { DataType: 'String', StringValue } });
  await aws.invoke('Fixture-Publish', {
    messages: [
      { Message: '{"n":1}', MessageAttributes: kind('wanted') },
      { Message: '{"n":2}', MessageAttributes: kind('other') },
    ],
  });
  expect(await bodiesIn(aws, 'Fixture-Jobs')).toEqual(['{"n":1}']);
});

test('applying the template again on the same folder changes nothing, and messages stay', async () => {
  const path = createTemporaryFolder('data');
  const first = await startAws(fixtureResources(), { path });
  await first.invoke('Fixture-Publish', {
    messages: [
      { Message: 'kept', MessageAttributes: { kind: { DataType: 'String', StringValue: 'wanted' } } },
    ],
  });
  const before = await inventory(first);
  await stopAll();
  const second = await startAws(fixtureResources(), { path });
  expect(await inventory(second)).toEqual(before);
  expect(before.subscriptions).toHaveLength(1);
  expect(await bodiesIn(second, 'Fixture-Jobs')).toEqual(['kept']);
});

test('a changed template changes the existing resources', async () => {
  const path = createTemporaryFolder('data');
  await startAws(fixtureResources(), { path });
  await stopAll();
  const changed = fixtureResources();
  Object.assign(changed.Jobs?.Properties ?? {}, { VisibilityTimeout: 90 });
  Object.assign(changed.Subscription?.Properties ?? {}, { FilterPolicy: { kind: ['other'] } });
  const aws = await startAws(changed, { path });
  const kind = { kind: { DataType: 'String', StringValue: 'other' } };
  await aws.invoke('Fixture-Publish', { messages: [{ Message: 'let in', MessageAttributes: kind }] });
  const { Attributes } = await aws.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf('Fixture-Jobs'), AttributeNames: ['VisibilityTimeout'] }),
  );
  expect(Attributes?.VisibilityTimeout).toBe('90');
  expect(await bodiesIn(aws, 'Fixture-Jobs')).toEqual(['let in']);
});

test('a property that cannot be read is an error that names resource and property', async () => {
  const resources = { Role: { Type: 'AWS::IAM::Role' }, Poll: fixtureFunction('echo', { Timeout: 'soon' }) };
  await expect(startAws(resources)).rejects.toThrow('resource Poll: Timeout:');
});

function fixtureResources(): Resources {
  return {
    Role: { Type: 'AWS::IAM::Role' },
    Table: structuredClone(FIXTURE_TABLE),
    Events: { Type: 'AWS::SNS::Topic', Properties: { DisplayName: 'Events' } },
    DeadLetters: { Type: 'AWS::SQS::Queue' },
    Jobs: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        VisibilityTimeout: 45,
        RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] }, maxReceiveCount: 3 },
      },
    },
    Subscription: {
      Type: 'AWS::SNS::Subscription',
      Properties: {
        TopicArn: { Ref: 'Events' },
        Protocol: 'sqs',
        Endpoint: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
        RawMessageDelivery: true,
        FilterPolicy: { kind: ['wanted'] },
      },
    },
    Mail: {
      Type: 'AWS::SNS::Subscription',
      Properties: { TopicArn: { Ref: 'Events' }, Protocol: 'email', Endpoint: 'people@example.com' },
    },
    Publish: fixtureFunction('publish', { Environment: { Variables: { TOPIC_ARN: { Ref: 'Events' } } } }),
    Schedule: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: {
        ScheduleExpression: 'rate(5 minutes)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: {
          Arn: { 'Fn::GetAtt': ['Publish', 'Arn'] },
          RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] },
          Input: '{"scope":"due"}',
        },
      },
    },
  };
}

function urlOf(queueName: string): string {
  return `http://sqs.local/000000000000/${queueName}`;
}

async function bodiesIn({ sqs }: LocalAws, queueName: string): Promise<(string | undefined)[]> {
  const receive = new ReceiveMessageCommand({ QueueUrl: urlOf(queueName), MaxNumberOfMessages: 10 });
  const { Messages = [] } = await sqs.send(receive);
  return Messages.map(({ Body }) => Body);
}

async function inventory({ sns, sqs }: LocalAws) {
  const { Topics = [] } = await sns.send(new ListTopicsCommand({}));
  const { Subscriptions = [] } = await sns.send(new ListSubscriptionsCommand({}));
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  return {
    topics: Topics.map(({ TopicArn }) => TopicArn),
    subscriptions: Subscriptions.map(({ TopicArn, Endpoint }) => `${TopicArn} ${Endpoint}`),
    queues: QueueUrls.map((url) => url.slice(url.lastIndexOf('/'))),
  };
}
