import { beforeAll, expect, test } from 'vitest';
import { WEBHOOK_ENVIRONMENT } from '#functions/deliver-webhook.ts';
import { readEnvironment } from '#shared/config/environment.ts';
import { environmentOf, type Synthesized, synthesize, triggersOf, WEBHOOK } from './synthesized.ts';

const FILTER = { type: ['workforce.timesheet.approved' as const], departmentId: [7], late: true };
const FILTERED = { ...WEBHOOK, filter: FILTER };

let built: Synthesized;

beforeAll(() => {
  built = synthesize({ webhooks: [FILTERED] });
});

test('a webhook gets the raw events of its topics that match its filter', () => {
  expect(built.at('Webhook-system/timesheets').properties).toEqual({
    TopicArn: '<Topics/timesheets>',
    Protocol: 'sqs',
    Endpoint: '<Webhook-system/Queue.Arn>',
    RawMessageDelivery: true,
    FilterPolicy: {
      type: ['workforce.timesheet.approved'],
      late: ['true'],
      $or: [{ departmentId: ['7'] }, { previousDepartmentId: ['7'] }],
    },
    RedrivePolicy: { deadLetterTargetArn: '<Webhook-system/DeadLetters.Arn>' },
  });
});

test('a webhook has its own queue, dead-letter queue and function', () => {
  expect(built.at('Webhook-system/Queue').properties).toEqual({
    QueueName: 'workforce-notifier-webhook-system',
    MessageRetentionPeriod: 14 * 86_400,
    VisibilityTimeout: 6 * 60,
    SqsManagedSseEnabled: true,
    RedrivePolicy: { deadLetterTargetArn: '<Webhook-system/DeadLetters.Arn>', maxReceiveCount: 1_000 },
  });
  expect(built.at('Webhook-system/Function').properties).toMatchObject({
    FunctionName: 'workforce-notifier-webhook-system',
    Timeout: 60,
    // The function sends retries to its own queue.
    RecursiveLoop: 'Allow',
  });
  const [trigger] = triggersOf(built, 'Webhook-system');
  expect(trigger?.properties).toEqual({
    BatchSize: 10,
    EventSourceArn: '<Webhook-system/Queue.Arn>',
    FunctionName: '<Webhook-system/Function>',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 2 },
  });
});

test('a webhook gets its endpoint, its queues and the topic of operations', () => {
  expect(readEnvironment(WEBHOOK_ENVIRONMENT, environmentOf(built.at('Webhook-system/Function')))).toEqual({
    tableName: '<State/Table>',
    name: 'system',
    queueUrl: '<Webhook-system/Queue>',
    deadLetterQueueUrl: '<Webhook-system/DeadLetters>',
    operationsTopicArn: '<Topics/operations>',
  });
});

test('a paused webhook keeps what comes, and an alarm sounds before SQS deletes it', () => {
  const paused = synthesize({ webhooks: [{ ...WEBHOOK, paused: true }] });
  const [trigger] = triggersOf(paused, 'Webhook-system');
  expect(trigger?.properties).toMatchObject({ EventSourceArn: '<Webhook-system/Queue.Arn>', Enabled: false });
  const alarms = paused.ofType('AWS::CloudWatch::Alarm').map(({ properties }) => properties);
  const about = alarms.filter(({ MetricName }) => MetricName === 'ApproximateAgeOfOldestMessage');
  expect(about).toMatchObject([{ Threshold: 12 * 86_400, TreatMissingData: 'notBreaching' }]);
});
