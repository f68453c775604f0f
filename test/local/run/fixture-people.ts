import { fileURLToPath } from 'node:url';
import { fixtureFunction, type Resources, writeAssembly } from '../aws/fixture-assembly.ts';
import { pollResources } from './fixture-source.ts';

/** It sends every alert in one invocation, which a busy machine must not end halfway: nothing would tell the rest. */
const RELEASES_ALL = { Timeout: 300 };

/** A cloud assembly with the polls of a fixture source, alerts and a webhook. */
export function writePeopleAssembly(): string {
  return writeAssembly(peopleResources(), fileURLToPath(new URL('./fixtures/people', import.meta.url)));
}

/** An event for the fixture functions, by its number. */
export function fixtureEvent(number: number): string {
  return JSON.stringify({
    id: `event-${number}`,
    type: 'workforce.timesheet.approved',
    time: '2026-11-16T09:02:00Z',
    subject: `${number}_1`,
    sequence: 1,
    data: {},
  });
}

function peopleResources(): Resources {
  const queue = (properties: Record<string, unknown> = {}) => ({
    Type: 'AWS::SQS::Queue',
    Properties: { VisibilityTimeout: 360, ...properties },
  });
  return {
    ...pollResources(),
    Alerts: { Type: 'AWS::SNS::Topic' },
    Waiting: queue(),
    Inbox: queue(),
    Hook: queue(),
    Slack: queue({ FifoQueue: true }),
    InboxSubscription: subscription('Timesheets', 'Inbox'),
    HookSubscription: subscription('Timesheets', 'Hook'),
    Office: {
      Type: 'AWS::SNS::Subscription',
      Properties: {
        TopicArn: { Ref: 'Alerts' },
        Protocol: 'email',
        Endpoint: 'office@acme.example',
        FilterPolicy: { channel: ['office'] },
      },
    },
    ...functions(),
    CollectTrigger: trigger('Inbox', 'Collect'),
    SlackTrigger: trigger('Slack', 'DeliverSlack'),
    HookTrigger: trigger('Hook', 'DeliverWebhook'),
    ReleaseSchedule: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: {
        ScheduleExpression: 'rate(1 minute)',
        Target: { Arn: { 'Fn::GetAtt': ['Release', 'Arn'] }, Input: '{"scope":"due"}' },
      },
    },
  };
}

function functions(): Resources {
  const withVariables = (Variables: Record<string, unknown>) => ({ Environment: { Variables } });
  const waiting = { WAITING_QUEUE_URL: { Ref: 'Waiting' } };
  return {
    Collect: fixtureFunction('collect', {
      FunctionName: 'fixture-collect-alerts',
      ...withVariables(waiting),
    }),
    Release: fixtureFunction('release', {
      FunctionName: 'fixture-release-alerts',
      ...withVariables({
        ...waiting,
        SLACK_QUEUE_URL: { Ref: 'Slack' },
        TOPIC_ARN_ALERTS: { Ref: 'Alerts' },
      }),
      ...RELEASES_ALL,
    }),
    DeliverSlack: fixtureFunction('slack', withVariables({ CHANNEL: 'payroll' })),
    DeliverWebhook: fixtureFunction(
      'webhook',
      withVariables({ WEBHOOK: 'system', QUEUE_URL: { Ref: 'Hook' } }),
    ),
  };
}

function subscription(topic: string, queue: string) {
  return {
    Type: 'AWS::SNS::Subscription',
    Properties: {
      TopicArn: { Ref: topic },
      Protocol: 'sqs',
      Endpoint: { 'Fn::GetAtt': [queue, 'Arn'] },
      RawMessageDelivery: true,
    },
  };
}

function trigger(queue: string, target: string) {
  return {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] },
      FunctionName: { Ref: target },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    },
  };
}
