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
  'AWS::SNS::Topic Topicsclockings16A78815 workforce-notifier-clockings',
  'AWS::SNS::Topic TopicsdirectoryA1EE9813 workforce-notifier-directory',
  'AWS::SNS::Topic TopicspayperiodsED19D130 workforce-notifier-pay-periods',
  'AWS::SNS::Topic TopicsoperationsB5A45B14 workforce-notifier-operations',
  'AWS::SNS::Topic TopicsalertsEB2F79B4 workforce-notifier-alerts',
  'AWS::SNS::Subscription Topicsalertsoperationsacmeexample20FAF933',
  'AWS::Lambda::Function PollTimesheetsFunction97E87609 workforce-notifier-poll-timesheets',
  'AWS::Lambda::Function PollPayPeriodsFunction6887C918 workforce-notifier-poll-pay-periods',
  'AWS::IAM::Role PollTimesheetsRole8BC09054',
  'AWS::IAM::Role PollPayPeriodsRole9C1F982F',
  'AWS::Logs::LogGroup PollTimesheetsLogs23B2AD9F',
  'AWS::Logs::LogGroup PollPayPeriodsLogs951FD1B6',
  'AWS::SQS::Queue PollTimesheetsDeadLettersDB3CA3B2 workforce-notifier-poll-timesheets-dead-letters',
  'AWS::Scheduler::ScheduleGroup PollTimesheetsSchedulesGroup6957DF81 workforce-notifier-poll-timesheets',
  'AWS::Scheduler::ScheduleGroup PollPayPeriodsSchedulesGroupF0FA4EFE workforce-notifier-poll-pay-periods',
  'AWS::SQS::Queue QueuepayrollQueueAF9F0A39 workforce-notifier-payroll',
  'AWS::SQS::Queue QueuepayrollDeadLetters7A2340EA workforce-notifier-payroll-dead-letters',
  'AWS::SNS::Subscription Queuepayrolltimesheets993C9A08',
  'AWS::SQS::Queue QueuearchiveDeadLetters469CAD40 workforce-notifier-archive-dead-letters',
  'AWS::SNS::Subscription Queuearchiveclockings3A54A384',
];

const QUEUES: typeof EVERYTHING.queues = [
  { name: 'payroll', topics: ['timesheets'] },
  { name: 'archive', topics: ['clockings'], queueArn: 'arn:aws:sqs:eu-west-1:111122223333:archive' },
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
      // Every stack can follow its polls, and these subscribers have their deliveries checked.
      .filter((line) => !/ (?:DeliveryCheck|PollTimesheetsFollowUps)/.test(line));
    const roles = ofTheirTypes.filter((line) => line.startsWith('AWS::IAM::Role'));
    expect(roles).toHaveLength(4);
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
