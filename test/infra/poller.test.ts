import { beforeAll, describe, expect, test } from 'vitest';
import { POLL_ENVIRONMENT } from '#functions/parts/poll-handler.ts';
import { readEnvironment } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';
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

const POLLERS = [
  ['PollTimesheets', 'timesheets', ['timesheets', 'clockings', 'operations']],
  ['PollPayPeriods', 'pay-periods', ['pay-periods', 'operations']],
] as const;

const TABLE_ACTIONS = [
  'dynamodb:BatchGetItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:DeleteItem',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:Query',
  'dynamodb:UpdateItem',
];

/** To start its follow-ups. */
const FOLLOW_UP_PERMISSIONS = [
  {
    Sid: 'SendMessages',
    Effect: 'Allow',
    Action: 'sqs:SendMessage',
    Resource: '<PollTimesheets/FollowUps/Queue.Arn>',
  },
  {
    Sid: 'ReceiveMessages',
    Effect: 'Allow',
    Action: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
    Resource: '<PollTimesheets/FollowUps/Queue.Arn>',
  },
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

test('a message starts the follow-up of a poll of timesheets, once', () => {
  expect(built.at('PollTimesheets/FollowUps/Queue').properties).toMatchObject({
    QueueName: 'workforce-notifier-poll-timesheets',
    VisibilityTimeout: 300,
    RedrivePolicy: { deadLetterTargetArn: '<PollTimesheets/DeadLetters.Arn>', maxReceiveCount: 1 },
  });
  expect(built.at('PollTimesheets/FollowUps/Trigger').properties).toMatchObject({
    EventSourceArn: '<PollTimesheets/FollowUps/Queue.Arn>',
    FunctionName: '<PollTimesheets/Function>',
    BatchSize: 1,
  });
  expect(environmentOf(built.at('PollTimesheets/Function'))).toMatchObject({
    [ENVIRONMENT.followUpQueueUrl]: '<PollTimesheets/FollowUps/Queue>',
  });
  expect(built.at('PollTimesheets/Function').properties).toMatchObject({ RecursiveLoop: 'Allow' });
});

describe('employees and departments', () => {
  test('are polled by the function of pay periods, each list of a connection by a schedule of its own', () => {
    const { at, ofType } = synthesize({ poll: { directory: true } });
    const own = ofType('AWS::Scheduler::Schedule').filter(({ path }) =>
      /\.(?:employees|departments)$/.test(path),
    );
    expect(own.map(({ path }) => path).sort()).toEqual(
      ['departments', 'employees'].map((feed) => `PollPayPeriods/Schedules/main.${feed}`),
    );
    for (const { path, properties } of own) {
      const { Arn, Input, DeadLetterConfig } = properties.Target as Record<string, string>;
      expect(properties).toMatchObject({ ScheduleExpression: 'rate(20 minutes)', State: 'ENABLED' });
      expect([Arn, DeadLetterConfig]).toEqual(
        ['Arn', 'DeadLetterConfig'].map(
          (name) => (at('PollPayPeriods/Schedules/main').properties.Target as Record<string, string>)[name],
        ),
      );
      const { feed } = pollRequestSchema.parse(JSON.parse(Input ?? ''));
      expect(`main.${feed}`).toBe(path.split('/').at(-1));
    }
    expect(ofType('AWS::CloudWatch::Alarm').map(({ path }) => path)).toEqual(
      synthesize({})
        .ofType('AWS::CloudWatch::Alarm')
        .map(({ path }) => path),
    );
  });

  test('go to a topic of their own, to which nobody else may publish', () => {
    const { at } = synthesize({ poll: { directory: true } });
    const publishes = (poller: string, built = at) => {
      const statements = permissionsOf(built(`${poller}/Role`)) as readonly Statement[];
      return JSON.stringify(statements.filter(({ Sid }) => Sid === 'PublishEvents')).includes(
        '<Topics/directory>',
      );
    };
    expect(['PollTimesheets', 'PollPayPeriods'].map((poller) => publishes(poller))).toEqual([false, true]);
    expect(publishes('PollPayPeriods', synthesize({}).at)).toBe(false);
  });
});

test('the poll of pay periods knows the times of the daily summaries, each once, and no other does', () => {
  const channels = ['12:00', '08:00', '08:00', undefined].map((at, index) => ({
    ...{ kind: 'email' as const, name: `office-${index}`, addresses: [`office-${index}@acme.example`] },
    ...(at === undefined ? {} : { dailySummary: { at } }),
  }));
  const { at } = synthesize({ people: { channels } });
  const summaries = ['PollTimesheets', 'PollPayPeriods'].map((poller) => {
    const target = at(`${poller}/Schedules/main`).properties.Target as { Input: string };
    return pollRequestSchema.parse(JSON.parse(target.Input)).summaries;
  });
  expect(summaries).toEqual([undefined, ['08:00', '12:00']]);
});

test('both leave failed requests in one encrypted queue for a day, so one alarm is about both', () => {
  const service = 'workforce-notifier-poll-timesheets';
  expect(built.at('PollTimesheets/DeadLetters').properties).toEqual({
    QueueName: `${service}-dead-letters`,
    MessageRetentionPeriod: 86_400,
    RedriveAllowPolicy: { redrivePermission: 'byQueue', sourceQueueArns: [expect.stringContaining(service)] },
    SqsManagedSseEnabled: true,
  });
  const names = built.ofType('AWS::CloudWatch::Alarm').map(({ properties }) => String(properties.AlarmName));
  expect(names.filter((name) => name.includes('dead-letters-poll'))).toHaveLength(1);
});

describe.each(POLLERS)('%s', (poller, feed, topics) => {
  const service = `workforce-notifier-poll-${feed}`;

  test('is one function of a pinned runtime, with the limits of the config', () => {
    expect(built.at(`${poller}/Function`).properties).toMatchObject({
      FunctionName: service,
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: 1_024,
      Timeout: 300,
      LoggingConfig: { LogGroup: `<${poller}/Logs>` },
      DeadLetterConfig: { TargetArn: '<PollTimesheets/DeadLetters.Arn>' },
    });
    expect(built.at(`${poller}/Function`).properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  test('gets its table and topics, and how to log', () => {
    const variables = environmentOf(built.at(`${poller}/Function`));
    expect(readEnvironment(POLL_ENVIRONMENT, variables)).toEqual({
      stackName: 'workforce-notifier',
      tableName: '<State/Table>',
      timesheets: '<Topics/timesheets>',
      clockings: '<Topics/clockings>',
      directory: '<Topics/directory>',
      'pay-periods': '<Topics/pay-periods>',
      operations: '<Topics/operations>',
    });
    expect(variables).toMatchObject({
      POWERTOOLS_SERVICE_NAME: service,
      POWERTOOLS_METRICS_NAMESPACE: 'WorkforceChangeNotifier',
      // Of glibc: they keep memory beside V8's heap small.
      MALLOC_ARENA_MAX: '1',
      MALLOC_MMAP_THRESHOLD_: '131072',
    });
  });

  test('has a schedule for each connection that contains the whole connection', () => {
    const connections = [CONNECTION, SECOND, THIRD].map((connection) => connectionSchema.parse(connection));
    for (const connection of connections) {
      const { properties } = built.at(`${poller}/Schedules/${connection.name}`);
      const target = properties.Target as { Input: string };
      expect(pollRequestSchema.parse(JSON.parse(target.Input))).toEqual({
        connection,
        scope: 'due',
        repeatForSeconds: feed === 'timesheets' ? 50 : 0,
      });
      expect(properties).toMatchObject({
        ScheduleExpression: 'rate(1 minute)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        State: 'ENABLED',
        GroupName: service,
        Target: {
          Arn: `<${poller}/Function.Arn>`,
          RoleArn: `<${poller}/Schedules/Role.Arn>`,
          DeadLetterConfig: { Arn: '<PollTimesheets/DeadLetters.Arn>' },
          RetryPolicy: { MaximumRetryAttempts: 0 },
        },
      });
    }
  });

  test('is not retried by Lambda, since the next schedule is the retry', () => {
    expect(built.at(`${poller}/Function/EventInvokeConfig`).properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
  });

  test('keeps its log for a month', () => {
    expect(built.at(`${poller}/Logs`).properties).toEqual({ RetentionInDays: 30 });
  });

  test('may check the fences of the connections that have watermarks, and of no others', () => {
    const connections = [{ ...CONNECTION, watermark: true }, SECOND];
    const role = synthesize({ connections }).at(`${poller}/Role`);
    expect(permissionsOf(role).filter(({ Sid }) => Sid === 'CheckFence')).toEqual([
      {
        Sid: 'CheckFence',
        Effect: 'Allow',
        Action: 'dynamodb:ConditionCheckItem',
        Resource: '<State/Table.Arn>',
        Condition: ofPartitions([`main#${feed}*`]),
      },
    ]);
  });

  test('has exactly these permissions', () => {
    expect(permissionsOf(built.at(`${poller}/Role`))).toEqual([
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: `<${poller}/Logs.Arn>`,
      },
      { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: '<PollTimesheets/DeadLetters.Arn>' },
      ...(feed === 'timesheets' ? FOLLOW_UP_PERMISSIONS : []),
      {
        Sid: 'UseTable',
        Effect: 'Allow',
        Action: TABLE_ACTIONS,
        Resource: '<State/Table.Arn>',
        Condition: ofEach(feed === 'pay-periods' ? [`${feed}*`, 'membership'] : [`${feed}*`]),
      },
      {
        Sid: 'ReadStates',
        Effect: 'Allow',
        Action: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
        Resource: '<State/Table.Arn>',
        Condition: ofEach(['*i*s']),
      },
      {
        Sid: 'ReadTable',
        Effect: 'Allow',
        Action: feed === 'timesheets' ? 'dynamodb:Query' : ['dynamodb:BatchGetItem', 'dynamodb:Query'],
        Resource: '<State/Table.Arn>',
        // Timesheets read who belongs to which pay calendar.
        Condition: ofEach([feed === 'timesheets' ? 'membership' : 'timesheets*']),
      },
      {
        Sid: 'RecognizeTable',
        Effect: 'Allow',
        Action: 'dynamodb:DescribeTable',
        Resource: '<State/Table.Arn>',
      },
      {
        Sid: 'PublishEvents',
        Effect: 'Allow',
        Action: 'sns:Publish',
        Resource: topics.map((name) => `<Topics/${name}>`).sort(),
      },
      {
        Sid: 'ReadSecrets',
        Effect: 'Allow',
        Action: 'secretsmanager:GetSecretValue',
        Resource: [secret('notifier/main'), secret('notifier/north')],
      },
    ]);
  });

  test('may read the address of a heartbeat where it sends it', () => {
    const heartbeat = { secretName: 'hc/main' };
    const built = synthesize({ connections: [{ ...CONNECTION, heartbeat }] });
    const read = permissionsOf(built.at(`${poller}/Role`)).find(({ Sid }) => Sid === 'ReadSecrets');
    const sends = poller === 'PollTimesheets' ? [secret('hc/main')] : [];
    expect([read?.Resource].flat()).toEqual([...sends, secret('notifier/main')]);
  });

  test('may use the customer-managed key for table and topics', () => {
    const statements = permissionsOf(customerManaged.at(`${poller}/Role`));
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
    expect(permissionsOf(built.at(`${poller}/Schedules/Role`))).toEqual([
      {
        Sid: 'StartFunction',
        Effect: 'Allow',
        Action: 'lambda:InvokeFunction',
        Resource: `<${poller}/Function.Arn>`,
      },
      {
        Sid: 'KeepWhatCouldNotStart',
        Effect: 'Allow',
        Action: 'sqs:SendMessage',
        Resource: '<PollTimesheets/DeadLetters.Arn>',
      },
    ]);
    const { Statement: trust } = built.at(`${poller}/Schedules/Role`).properties.AssumeRolePolicyDocument as {
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
            'aws:SourceArn': `<${poller}/Schedules/Group.Arn>`,
          },
        },
      },
    ]);
  });
});

/** These partitions of each connection. */
function ofEach(parts: readonly string[]) {
  return ofPartitions(parts.flatMap((part) => ['main', 'north', 'south'].map((name) => `${name}#${part}`)));
}

function ofPartitions(keys: readonly string[]) {
  return { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } };
}
