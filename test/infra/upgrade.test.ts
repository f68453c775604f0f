import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { buildStack, EVERYTHING, type Given } from './synthesized.ts';

/**
 * Resources of deployed stacks that hold data or have a fixed name, by logical id. Under another id CloudFormation
 * would create a second one, which fails when its name is taken, and delete the first with its data.
 */
const DEPLOYED = [
  'AWS::DynamoDB::Table StateTable962DE04C',
  'AWS::KMS::Key EncryptionKey3A692D6E',
  'AWS::KMS::Key EncryptionAlertTopicKeyEC532B7C',
  'AWS::KMS::Alias EncryptionKeyAlias1DF1C985 alias/workforce-notifier',
  'AWS::SNS::Topic Topicstimesheets26E7CCEC workforce-notifier-timesheets',
  'AWS::SNS::Topic TopicsdirectoryA1EE9813 workforce-notifier-directory',
  'AWS::SNS::Topic TopicspayperiodsED19D130 workforce-notifier-pay-periods',
  'AWS::SNS::Topic TopicsoperationsB5A45B14 workforce-notifier-operations',
  'AWS::SNS::Topic TopicsalertsEB2F79B4 workforce-notifier-alerts',
  'AWS::SNS::Subscription Topicsalertsoperationsacmeexample20FAF933',
  'AWS::Lambda::Function PollFunctionB53CB115 workforce-notifier-poll',
  'AWS::IAM::Role PollRole8FB8B3F0',
  'AWS::Logs::LogGroup PollLogs32C736EC',
  'AWS::SQS::Queue PollDeadLetters50AFD946 workforce-notifier-poll-dead-letters',
  'AWS::Scheduler::ScheduleGroup PollSchedulesGroupD25194B8 workforce-notifier-poll',
  'AWS::SQS::Queue QueuepayrollQueueAF9F0A39 workforce-notifier-payroll',
  'AWS::SQS::Queue QueuepayrollDeadLetters7A2340EA workforce-notifier-payroll-dead-letters',
  'AWS::SNS::Subscription Queuepayrolltimesheets993C9A08',
  'AWS::SQS::Queue QueuearchiveDeadLetters469CAD40 workforce-notifier-archive-dead-letters',
  'AWS::SNS::Subscription Queuearchivepayperiods65D3F42A',
];

const QUEUES: typeof EVERYTHING.queues = [
  { name: 'payroll', topics: ['timesheets'] },
  { name: 'archive', topics: ['pay-periods'], queueArn: 'arn:aws:sqs:eu-west-1:111122223333:archive' },
];

describe('a deployed stack', () => {
  test('keeps these resources, whatever the config adds', () => {
    const resources = resourcesOf({ ...EVERYTHING, encryption: 'customer-managed' });
    expect(resources).toEqual(expect.arrayContaining(DEPLOYED));
  });

  test('without channels and webhooks has no others of these types', () => {
    const { alarms } = EVERYTHING;
    const resources = resourcesOf({ alarms, encryption: 'customer-managed' });
    const types = [...new Set(DEPLOYED.map((line) => line.split(' ', 1)[0]))];
    const ofTheirTypes = resources
      .filter((line) => types.some((type) => line.startsWith(`${type} `)))
      // Every stack has polls that follow others, and these subscribers have their deliveries checked.
      .filter((line) => !/ (?:DeliveryCheck|PollFollowUps)/.test(line));
    const roles = ofTheirTypes.filter((line) => line.startsWith('AWS::IAM::Role'));
    expect(roles).toHaveLength(2);
    expect(ofTheirTypes.filter((line) => !roles.includes(line)).sort()).toEqual(
      DEPLOYED.filter((line) => !roles.includes(line)).sort(),
    );
  });
});

/** Every resource of a config as `type logical-id name`, or without a name. */
function resourcesOf(config: Given): string[] {
  const stack = buildStack({ ...config, queues: QUEUES });
  const { Resources } = Template.fromStack(stack).toJSON() as {
    Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
  };
  return Object.entries(Resources).map(([id, { Type, Properties = {} }]) => {
    const names = ['TopicName', 'QueueName', 'FunctionName', 'LogGroupName', 'AliasName', 'Name'];
    const name = names.map((each) => Properties[each]).find((each) => typeof each === 'string');
    return [Type, id, ...(name === undefined ? [] : [name])].join(' ');
  });
}
