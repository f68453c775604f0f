import { beforeAll, expect, test } from 'vitest';
import { POLL_ENVIRONMENT } from '#functions/poll.ts';
import { readEnvironment } from '#shared/config/environment.ts';
import { type PollRequest, pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import {
  CONNECTION,
  environmentOf,
  permissionsOf,
  type Statement,
  type Synthesized,
  synthesize,
} from './synthesized.ts';

const SECOND = { ...CONNECTION, name: 'north', timeZone: 'Australia/Perth', secretName: 'notifier/north' };
const THIRD = { ...CONNECTION, name: 'south', secretName: 'notifier/north' };

const SERVICE = 'workforce-notifier-poll';
const TOPICS = ['<Topics/operations>', '<Topics/pay-periods>', '<Topics/timesheets>'];

const TABLE_ACTIONS = [
  'dynamodb:BatchGetItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:DeleteItem',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:Query',
  'dynamodb:UpdateItem',
];

const secret = (name: string) =>
  `arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${name}-??????`;

let built: Synthesized;
let customerManaged: Synthesized;

beforeAll(() => {
  built = synthesize({
    connections: [CONNECTION, SECOND, THIRD],
    poll: { memoryMb: 1_024 },
  });
  customerManaged = synthesize({ encryption: 'customer-managed' });
});

test('a message starts the poll that follows another one, once', () => {
  expect(built.at('Poll/FollowUps/Queue').properties).toMatchObject({
    QueueName: SERVICE,
    VisibilityTimeout: 300,
    RedrivePolicy: { deadLetterTargetArn: '<Poll/DeadLetters.Arn>', maxReceiveCount: 1 },
  });
  expect(built.at('Poll/FollowUps/Trigger').properties).toMatchObject({
    EventSourceArn: '<Poll/FollowUps/Queue.Arn>',
    FunctionName: '<Poll/Function>',
    BatchSize: 1,
  });
  expect(built.at('Poll/Function').properties).toMatchObject({ RecursiveLoop: 'Allow' });
});

test('employees and departments are polled with the others where the config publishes them, to a topic of their own', () => {
  const published = (given: Synthesized) => {
    const statement = permissionsOf(given.at('Poll/Role')).find(({ Sid }) => Sid === 'PublishEvents');
    return [statement?.Resource].flat();
  };
  const withDirectory = synthesize({ poll: { directory: true } });
  expect(requestOf(withDirectory, 'main').feeds).toEqual(
    ['timesheets', 'pay-periods', 'employees', 'departments'].map((name) => ({ name, silent: false })),
  );
  expect(published(withDirectory)).toEqual([...TOPICS, '<Topics/directory>'].sort());
  expect(requestOf(built, 'main').feeds).toEqual(
    ['timesheets', 'pay-periods'].map((name) => ({ name, silent: false })),
  );
  expect(published(built)).toEqual(TOPICS);
});

test('a poll knows the times of the daily summaries, each once', () => {
  const channels = ['12:00', '08:00', '08:00', undefined].map((at, index) => ({
    ...{ kind: 'email' as const, name: `office-${index}`, addresses: [`office-${index}@acme.example`] },
    ...(at === undefined ? {} : { dailySummary: { at } }),
  }));
  expect(requestOf(synthesize({ people: { channels } }), 'main').summaries).toEqual(['08:00', '12:00']);
});

test('failed requests stay in an encrypted queue for a day', () => {
  expect(built.at('Poll/DeadLetters').properties).toEqual({
    QueueName: `${SERVICE}-dead-letters`,
    MessageRetentionPeriod: 86_400,
    RedriveAllowPolicy: { redrivePermission: 'byQueue', sourceQueueArns: [expect.stringContaining(SERVICE)] },
    SqsManagedSseEnabled: true,
  });
});

test('is one function of a pinned runtime, with the limits of the config', () => {
  expect(built.at('Poll/Function').properties).toMatchObject({
    FunctionName: SERVICE,
    Runtime: 'nodejs24.x',
    Architectures: ['arm64'],
    Handler: 'index.handler',
    MemorySize: 1_024,
    Timeout: 300,
    LoggingConfig: { LogGroup: '<Poll/Logs>' },
    DeadLetterConfig: { TargetArn: '<Poll/DeadLetters.Arn>' },
  });
  expect(built.at('Poll/Function').properties).not.toHaveProperty('ReservedConcurrentExecutions');
  expect(synthesize({}).at('Poll/Function').properties).toMatchObject({ MemorySize: 512 });
});

test('gets its table, topics and queue, and how to log', () => {
  const variables = environmentOf(built.at('Poll/Function'));
  expect(readEnvironment(POLL_ENVIRONMENT, variables)).toEqual({
    stackName: 'workforce-notifier',
    tableName: '<State/Table>',
    followUpQueueUrl: '<Poll/FollowUps/Queue>',
    timesheets: '<Topics/timesheets>',
    directory: '<Topics/directory>',
    'pay-periods': '<Topics/pay-periods>',
    operations: '<Topics/operations>',
  });
  expect(variables).toMatchObject({
    POWERTOOLS_SERVICE_NAME: SERVICE,
    POWERTOOLS_METRICS_NAMESPACE: 'WorkforceChangeNotifier',
    // Of glibc: they keep memory beside V8's heap small.
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '131072',
  });
});

test('has one schedule for each connection, that contains the whole connection', () => {
  const connections = [CONNECTION, SECOND, THIRD].map((connection) => connectionSchema.parse(connection));
  expect(
    built.ofType('AWS::Scheduler::Schedule').filter(({ path }) => path.startsWith('Poll/')),
  ).toHaveLength(3);
  for (const connection of connections) {
    expect(requestOf(built, connection.name).connection).toEqual(connection);
    expect(built.at(`Poll/Schedules/${connection.name}`).properties).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      State: 'ENABLED',
      GroupName: SERVICE,
      Target: {
        Arn: '<Poll/Function.Arn>',
        RoleArn: '<Poll/Schedules/Role.Arn>',
        DeadLetterConfig: { Arn: '<Poll/DeadLetters.Arn>' },
        RetryPolicy: { MaximumRetryAttempts: 0 },
      },
    });
  }
});

test('is not retried by Lambda, since the next schedule is the retry', () => {
  expect(built.at('Poll/Function/EventInvokeConfig').properties).toMatchObject({
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
  });
});

test('keeps its log for a month', () => {
  expect(built.at('Poll/Logs').properties).toEqual({ RetentionInDays: 30 });
});

test('has exactly these permissions', () => {
  const queue = { Effect: 'Allow', Resource: '<Poll/FollowUps/Queue.Arn>' };
  expect(permissionsOf(built.at('Poll/Role'))).toEqual([
    { Effect: 'Allow', Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: '<Poll/Logs.Arn>' },
    { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: '<Poll/DeadLetters.Arn>' },
    { ...queue, Sid: 'SendMessages', Action: 'sqs:SendMessage' },
    {
      ...queue,
      Sid: 'ReceiveMessages',
      Action: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
    },
    {
      Sid: 'UseTable',
      Effect: 'Allow',
      Action: TABLE_ACTIONS,
      Resource: '<State/Table.Arn>',
      Condition: {
        'ForAllValues:StringLike': {
          'dynamodb:LeadingKeys': ['main#*', 'north#*', 'south#*'],
        },
      },
    },
    {
      Sid: 'RecognizeTable',
      Effect: 'Allow',
      Action: 'dynamodb:DescribeTable',
      Resource: '<State/Table.Arn>',
    },
    { Sid: 'PublishEvents', Effect: 'Allow', Action: 'sns:Publish', Resource: TOPICS },
    {
      Sid: 'ReadSecrets',
      Effect: 'Allow',
      Action: 'secretsmanager:GetSecretValue',
      Resource: [secret('notifier/main'), secret('notifier/north')],
    },
  ]);
});

test('may read the address of a heartbeat', () => {
  const heartbeat = { secretName: 'hc/main' };
  const built = synthesize({ connections: [{ ...CONNECTION, heartbeat }] });
  const read = permissionsOf(built.at('Poll/Role')).find(({ Sid }) => Sid === 'ReadSecrets');
  expect(read?.Resource).toEqual([secret('hc/main'), secret('notifier/main')]);
});

test('may use the customer-managed key for table and topics', () => {
  const statements = permissionsOf(customerManaged.at('Poll/Role'));
  const use = { Effect: 'Allow', Resource: '<Encryption/Key.Arn>' };
  expect(statements).toContainEqual({
    ...use,
    Sid: 'UseKey',
    Action: [
      'kms:Decrypt',
      'kms:DescribeKey',
      'kms:Encrypt',
      'kms:GenerateDataKey',
      'kms:GenerateDataKeyWithoutPlaintext',
      'kms:ReEncryptFrom',
      'kms:ReEncryptTo',
    ],
    Condition: { StringEquals: { 'kms:ViaService': ['dynamodb.<AWS::Region>.<AWS::URLSuffix>'] } },
  });
  expect(statements).toContainEqual({
    ...use,
    Sid: 'UseKeyOfTopics',
    Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
    Condition: { StringEquals: { 'kms:ViaService': ['sns.<AWS::Region>.<AWS::URLSuffix>'] } },
  });
});

test('has schedules that may only start it and keep requests that could not start', () => {
  expect(permissionsOf(built.at('Poll/Schedules/Role'))).toEqual([
    {
      Sid: 'StartFunction',
      Effect: 'Allow',
      Action: 'lambda:InvokeFunction',
      Resource: '<Poll/Function.Arn>',
    },
    {
      Sid: 'KeepWhatCouldNotStart',
      Effect: 'Allow',
      Action: 'sqs:SendMessage',
      Resource: '<Poll/DeadLetters.Arn>',
    },
  ]);
  const { Statement: trust } = built.at('Poll/Schedules/Role').properties.AssumeRolePolicyDocument as {
    Statement: Statement[];
  };
  expect(trust).toEqual([
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Principal: { Service: 'scheduler.amazonaws.com' },
      Condition: {
        StringEquals: {
          'aws:SourceAccount': '<AWS::AccountId>',
          'aws:SourceArn': '<Poll/Schedules/Group.Arn>',
        },
      },
    },
  ]);
});

function requestOf({ at }: Synthesized, connection: string): PollRequest {
  const target = at(`Poll/Schedules/${connection}`).properties.Target as { Input: string };
  return pollRequestSchema.parse(JSON.parse(target.Input));
}
