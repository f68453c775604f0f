import { beforeAll, expect, test } from 'vitest';
import { readWebhookEnvironment } from '#shared/config/environment/webhook-environment.ts';
import { webhookSchema } from '#shared/config/schema/webhook.ts';
import { environmentOf, LARGE_ACCOUNT, type Synthesized, synthesize, WEBHOOK } from './synthesized.ts';

const FILTER = { type: ['workforce.timesheet.approved' as const], departmentId: [7], late: true };
const FILTERED = { ...WEBHOOK, filter: FILTER };
const ORDERED = {
  ...WEBHOOK,
  name: 'ledger',
  topics: ['timesheets' as const, 'clockings' as const],
  filter: FILTER,
  order: 'record' as const,
};

let built: Synthesized;

// The rules of CloudFormation are checked once, in notifier-stack.test.ts.
process.env.CDK_VALIDATION = 'false';

beforeAll(() => {
  built = synthesize({ functions: LARGE_ACCOUNT, webhooks: [FILTERED, ORDERED] });
});

test('gets the raw events of its topics that its filter lets through', () => {
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

test('in order it gets all events of its topics: without gaps they can be counted, and are filtered later', () => {
  for (const topic of ORDERED.topics) {
    expect(built.at(`Webhook-ledger/${topic}`).properties).not.toHaveProperty('FilterPolicy');
  }
});

test('has a queue, a dead-letter queue and a function of its own', () => {
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
    // What is to be tried again goes into the queue it came from.
    RecursiveLoop: 'Allow',
  });
  const [trigger] = built.ofType('AWS::Lambda::EventSourceMapping');
  expect(trigger?.properties).toEqual({
    BatchSize: 10,
    EventSourceArn: '<Webhook-system/Queue.Arn>',
    FunctionName: '<Webhook-system/Function>',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 5 },
  });
});

test('knows its endpoint, its queues and where to publish what it gave up', () => {
  expect(readWebhookEnvironment(environmentOf(built.at('Webhook-ledger/Function')))).toEqual({
    tableName: '<State/Table>',
    webhook: webhookSchema.parse(ORDERED),
    queueUrl: '<Webhook-ledger/Queue>',
    deadLetterQueueUrl: '<Webhook-ledger/DeadLetters>',
    operationsTopicArn: '<Topics/operations>',
    retentionDays: 90,
  });
});
