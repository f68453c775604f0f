import { beforeAll, describe, expect, test } from 'vitest';
import { CHAT_ENVIRONMENT } from '#functions/deliver-chat.ts';
import { ALERT_ENVIRONMENT } from '#functions/parts/alert-parts.ts';
import { readEnvironment } from '#shared/config/environment.ts';
import { readPollRequest } from '#shared/config/requests/poll-request.ts';
import { readReleaseRequest } from '#shared/config/requests/release-request.ts';
import {
  CONNECTION,
  environmentOf,
  permissionsOf,
  type Statement,
  type Synthesized,
  statementsOf,
  synthesize,
} from './synthesized.ts';

const BOT = {
  name: 'it',
  kind: 'slack' as const,
  secretName: 'slack/it',
  channelId: 'C0123456789',
};
const CONFIG = {
  connections: [
    { ...CONNECTION, retentionDays: 30 },
    { ...CONNECTION, name: 'north', retentionDays: 60 },
  ],
  alarms: { email: 'operations@acme.example' },
  people: {
    names: ['departments' as const, 'employees' as const, 'managers' as const],
    channels: [
      {
        name: 'payroll',
        kind: 'slack' as const,
        secretName: 'slack/payroll',
      },
      { name: 'managers', kind: 'slack' as const, secretName: 'slack/managers' },
      BOT,
      {
        name: 'office',
        kind: 'email' as const,
        addresses: ['office@acme.example', 'payroll@acme.example'],
      },
      {
        name: 'night',
        kind: 'email' as const,
        addresses: ['Office@acme.example'],
      },
    ],
  },
};

let built: Synthesized;

beforeAll(() => {
  built = synthesize(CONFIG);
});

test('without a channel nothing is created', () => {
  const { resources } = synthesize({ people: { serviceName: 'Deputy' } });
  expect(resources.filter(({ path }) => path.startsWith('People/'))).toEqual([]);
});

describe('collecting', () => {
  test('gets the events that channels are told of, late ones only when they are late', () => {
    const policyOf = (topic: string) => built.at(`People/Collect/${topic}`).properties.FilterPolicy;
    expect(built.at('People/Collect/pay-periods').properties).toEqual({
      TopicArn: '<Topics/pay-periods>',
      Protocol: 'sqs',
      Endpoint: '<People/Collect/Queue.Arn>',
      RawMessageDelivery: true,
      FilterPolicy: {
        type: ['due', 'closed', 'recounted', 'reopened', 'settled'].map(
          (type) => `workforce.pay_period.${type}`,
        ),
      },
      RedrivePolicy: { deadLetterTargetArn: '<People/Collect/DeadLetters.Arn>' },
    });
    expect(policyOf('timesheets')).toEqual({
      $or: [
        { type: ['workforce.timesheet.processed'] },
        {
          type: expect.arrayContaining(['workforce.timesheet.changed', 'workforce.timesheet.clocked_in']),
          late: ['true'],
        },
      ],
    });
  });

  test('subscribes to the topics that channels need, and its queue accepts messages from no other', () => {
    const topics = built
      .ofType('AWS::SNS::Subscription')
      .filter(({ properties }) => properties.Endpoint === '<People/Collect/Queue.Arn>')
      .map(({ properties }) => properties.TopicArn);
    expect(topics.toSorted()).toEqual(['<Topics/operations>', '<Topics/pay-periods>', '<Topics/timesheets>']);
    expect(sendersOf('People/Collect')).toEqual(topics);
  });

  test('has a queue that retries for an hour, and a function that reports which messages failed', () => {
    expect(built.at('People/Collect/Queue').properties).toEqual({
      QueueName: 'workforce-notifier-collect-alerts',
      MessageRetentionPeriod: 14 * 86_400,
      VisibilityTimeout: 75,
      SqsManagedSseEnabled: true,
      RedrivePolicy: { deadLetterTargetArn: '<People/Collect/DeadLetters.Arn>', maxReceiveCount: 48 },
    });
    expect(triggerOf('People/Collect')).toEqual({
      BatchSize: 10,
      EventSourceArn: '<People/Collect/Queue.Arn>',
      FunctionName: '<People/Collect/Function>',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 2 },
    });
  });
});

describe('releasing', () => {
  test('runs every minute for what is due', () => {
    const { properties } = built.at('People/Release/Schedules/due');
    expect(properties).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      GroupName: 'workforce-notifier-release-alerts',
      Target: { Arn: '<People/Release/Function.Arn>' },
    });
    const { Input } = properties.Target as { Input: string };
    expect(readReleaseRequest(JSON.parse(Input))).toEqual({ scope: 'due' });
  });

  test.each(['Release', 'Collect'])('gets the target of each channel, and %s sends to it', (name) => {
    expect(readEnvironment(ALERT_ENVIRONMENT, environmentOf(built.at(`People/${name}/Function`)))).toEqual({
      tableName: '<State/Table>',
      chatQueueUrl: '<People/Slack-payroll/Queue>',
      alertsTopicArn: '<Topics/alerts>',
    });
  });
});

describe('a Teams channel', () => {
  const board = { name: 'board', kind: 'teams' as const, secretName: 'teams/board' };

  test('has its own queue, function and secret, as one of Slack has', () => {
    const { at } = synthesize({
      ...CONFIG,
      people: { ...CONFIG.people, channels: [board] },
    });
    const sameAsSlack = (path: string) =>
      JSON.parse(
        JSON.stringify(built.at(`People/Slack-payroll/${path}`).properties)
          .replaceAll('Slack-payroll', 'Teams-board')
          .replaceAll('slack-payroll', 'teams-board'),
      );
    expect(at('People/Teams-board/Queue').properties).toEqual(sameAsSlack('Queue'));
    expect(readEnvironment(CHAT_ENVIRONMENT, environmentOf(at('People/Teams-board/Function'))).name).toBe(
      'board',
    );
    expect(at('People/Teams-board/Function').properties).toMatchObject({
      FunctionName: 'workforce-notifier-teams-board',
      Description: 'Posts messages to the Teams channel board',
    });
    const secret = permissionsOf(at('People/Teams-board/Role')).find(({ Sid }) => Sid === 'ReadSecrets');
    expect(secret?.Resource).toMatch(/:secret:teams\/board-\?{6}$/);
    expect(environmentOf(at('People/Release/Function'))).toMatchObject({
      CHAT_QUEUE_URL: '<People/Teams-board/Queue>',
    });
  });
});

describe('a Slack channel', () => {
  test('has a queue that keeps the order and gives up after about two hours', () => {
    expect(built.at('People/Slack-payroll/Queue').properties).toEqual({
      QueueName: 'workforce-notifier-slack-payroll.fifo',
      FifoQueue: true,
      MessageRetentionPeriod: 14 * 86_400,
      VisibilityTimeout: 75,
      SqsManagedSseEnabled: true,
      RedrivePolicy: { deadLetterTargetArn: '<People/Slack-payroll/DeadLetters.Arn>', maxReceiveCount: 96 },
    });
    expect(built.at('People/Slack-payroll/DeadLetters').properties).toMatchObject({
      QueueName: 'workforce-notifier-slack-payroll-dead-letters.fifo',
      FifoQueue: true,
    });
    expect(triggerOf('People/Slack-payroll')).toEqual({
      BatchSize: 10,
      EventSourceArn: '<People/Slack-payroll/Queue.Arn>',
      FunctionName: '<People/Slack-payroll/Function>',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('has its own function, which gets its name', () => {
    expect(
      readEnvironment(CHAT_ENVIRONMENT, environmentOf(built.at('People/Slack-managers/Function'))),
    ).toEqual({
      tableName: '<State/Table>',
      name: 'managers',
      deadLetterQueueUrl: '<People/Slack-managers/DeadLetters>',
    });
    expect(built.at('People/Slack-managers/Function').properties).toMatchObject({
      FunctionName: 'workforce-notifier-slack-managers',
      Timeout: 60,
    });
  });
});

describe('a Slack channel with a bot', () => {
  const threads = (name: string) =>
    permissionsOf(built.at(`People/Slack-${name}/Role`)).find(({ Sid }) => Sid === 'KeepThreads');

  test('may read and write its threads, and no other channel may', () => {
    expect(threads('it')).toMatchObject({
      Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['alerts#it#threads'] } },
    });
    expect(threads('payroll')).toBeUndefined();
  });
});

describe('a mailbox', () => {
  test('gets the messages of all its channels in one subscription; the one for alarms gets only alarms', () => {
    const mail = built
      .ofType('AWS::SNS::Subscription')
      .filter(({ properties }) => properties.Protocol === 'email');
    expect(mail.map(({ properties }) => properties)).toEqual([
      {
        TopicArn: '<Topics/alerts>',
        Protocol: 'email',
        Endpoint: 'office@acme.example',
        FilterPolicy: { channel: ['office', 'night'] },
      },
      {
        TopicArn: '<Topics/alerts>',
        Protocol: 'email',
        Endpoint: 'payroll@acme.example',
        FilterPolicy: { channel: ['office'] },
      },
      {
        TopicArn: '<Topics/alerts>',
        Protocol: 'email',
        Endpoint: 'operations@acme.example',
        FilterPolicy: { AlarmName: [{ exists: true }] },
        FilterPolicyScope: 'MessageBody',
      },
    ]);
  });
});

test.each([
  [
    ['employees' as const, 'departments' as const],
    ['employees', 'departments'],
  ],
  [['managers' as const], ['departments']],
  [[], []],
])('names of %j come from the lists %j, which are polled and not published', (names, feeds) => {
  const { at } = synthesize({ people: { ...CONFIG.people, names } });
  const { Input } = at('Poll/Schedules/main').properties.Target as { Input: string };
  expect(readPollRequest(JSON.parse(Input)).feeds).toEqual([
    ...['timesheets', 'pay-periods'].map((name) => ({ name, silent: false })),
    ...feeds.map((name) => ({ name, silent: true })),
  ]);
});

function triggerOf(path: string): Record<string, unknown> {
  const [trigger, ...others] = built
    .ofType('AWS::Lambda::EventSourceMapping')
    .filter((mapping) => mapping.path.startsWith(`${path}/`));
  if (trigger === undefined || others.length > 0) throw new Error(`expected one trigger at ${path}`);
  return trigger.properties;
}

/** Topics that may send to a queue by its policy. */
function sendersOf(path: string): unknown {
  const statement = statementsOf(built.at(`${path}/DeadLetters/Policy`)).find(
    ({ Sid }) => Sid === 'TopicsDeliver',
  );
  const condition = (statement as Statement).Condition as { ArnEquals: Record<string, unknown> };
  return condition.ArnEquals['aws:SourceArn'];
}
