import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectionSchema } from '#shared/config/connection.ts';
import { readPollEnvironment } from '#shared/config/environment.ts';
import { pollRequestSchema } from '#shared/config/poll-request.ts';
import { CONNECTION, type Statement, type Synthesized, statementsOf, synthesize } from './synthesized.ts';

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

const secret = (name: string) =>
  `arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${name}-??????`;

let built: Synthesized;
let own: Synthesized;

// The rules of CloudFormation are checked once, in notifier-stack.test.ts.
process.env.CDK_VALIDATION = 'false';

beforeAll(() => {
  built = synthesize({
    connections: [CONNECTION, SECOND, THIRD],
    schedules: { timesheets: { everyMinutes: 2 } },
    functions: { timeoutSeconds: 120, memoryMb: 1_024, logLevel: 'DEBUG' },
    logRetentionDays: 14,
  });
  own = synthesize({ encryption: 'customer-managed' });
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
      Timeout: 120,
      LoggingConfig: { LogGroup: `<${poller}/Logs>` },
      DeadLetterConfig: { TargetArn: `<${poller}/DeadLetters.Arn>` },
    });
    expect(built.at(`${poller}/Function`).properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  test('is told where to commit and where to publish, and how to log and to try again', () => {
    const { Variables: variables } = built.at(`${poller}/Function`).properties.Environment as {
      Variables: Record<string, string>;
    };
    expect(readPollEnvironment(variables)).toEqual({
      tableName: '<State/Table>',
      topicArns: {
        timesheets: '<Topics/timesheets>',
        clockings: '<Topics/clockings>',
        'pay-periods': '<Topics/pay-periods>',
        operations: '<Topics/operations>',
      },
    });
    expect(variables).toMatchObject({
      POWERTOOLS_SERVICE_NAME: service,
      POWERTOOLS_METRICS_NAMESPACE: 'WorkforceChangeNotifier',
      POWERTOOLS_LOG_LEVEL: 'DEBUG',
      AWS_RETRY_MODE: 'standard',
      AWS_MAX_ATTEMPTS: '3',
    });
  });

  test('is started for each connection by a schedule that carries the whole connection', () => {
    const connections = [CONNECTION, SECOND, THIRD].map((connection) => connectionSchema.parse(connection));
    for (const connection of connections) {
      const { properties } = built.at(`${poller}/Schedules/${connection.name}`);
      const target = properties.Target as { Input: string };
      expect(pollRequestSchema.parse(JSON.parse(target.Input))).toEqual({ connection, scope: 'due' });
      expect(properties).toMatchObject({
        ScheduleExpression: feed === 'timesheets' ? 'rate(2 minutes)' : 'rate(1 minute)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        State: 'ENABLED',
        GroupName: service,
        Target: {
          Arn: `<${poller}/Function.Arn>`,
          RoleArn: `<${poller}/Schedules/Role.Arn>`,
          DeadLetterConfig: { Arn: `<${poller}/DeadLetters.Arn>` },
          RetryPolicy: { MaximumRetryAttempts: 0 },
        },
      });
    }
  });

  test('is not tried again by Lambda, as the next schedule is the retry', () => {
    expect(built.at(`${poller}/Function/EventInvokeConfig`).properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
  });

  test('leaves failed requests in an encrypted queue for 14 days', () => {
    expect(built.at(`${poller}/DeadLetters`).properties).toEqual({
      QueueName: `${service}-dead-letters`,
      MessageRetentionPeriod: 14 * 86_400,
      SqsManagedSseEnabled: true,
    });
  });

  test('keeps its log for as long as the config says', () => {
    expect(built.at(`${poller}/Logs`).properties).toEqual({
      LogGroupName: `/aws/lambda/${service}`,
      RetentionInDays: 14,
    });
  });

  test('may do exactly what it does', () => {
    expect(statementsOf(built.at(`${poller}/Role/DefaultPolicy`))).toEqual([
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: `<${poller}/Logs.Arn>`,
      },
      { Sid: 'UseTable', Effect: 'Allow', Action: TABLE_ACTIONS, Resource: '<State/Table.Arn>' },
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
      { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: `<${poller}/DeadLetters.Arn>` },
    ]);
  });

  test('may use the key of our own for table and topics, when there is one', () => {
    expect(statementsOf(own.at(`${poller}/Role/DefaultPolicy`))).toContainEqual({
      Sid: 'UseKey',
      Effect: 'Allow',
      Action: [
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'kms:GenerateDataKeyWithoutPlaintext',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ],
      Resource: '<Encryption/Key.Arn>',
      Condition: {
        StringEquals: {
          'kms:ViaService': ['dynamodb.<AWS::Region>.<AWS::URLSuffix>', 'sns.<AWS::Region>.<AWS::URLSuffix>'],
        },
      },
    });
  });

  test('has schedules that may start it, keep what could not start, and nothing else', () => {
    expect(statementsOf(built.at(`${poller}/Schedules/Role/DefaultPolicy`))).toEqual([
      {
        Sid: 'StartPolls',
        Effect: 'Allow',
        Action: 'lambda:InvokeFunction',
        Resource: `<${poller}/Function.Arn>`,
      },
      {
        Sid: 'KeepWhatCouldNotStart',
        Effect: 'Allow',
        Action: 'sqs:SendMessage',
        Resource: `<${poller}/DeadLetters.Arn>`,
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

describe('what is granted', () => {
  test('is what the adapters ask for, and no more', () => {
    const code = ['dynamo', 'sns', 'credential'].map(sourceOf).join('\n');
    const commands = new Set([...code.matchAll(/\bnew (\w+)Command\(/g)].map(([, name]) => name));
    const inTransactions = new Set(
      [...code.matchAll(/\b(Put|Update|Delete|ConditionCheck): \{/g)].map(([, name]) => `${name}Item`),
    );
    commands.delete('TransactWriteItems');
    const { Action: table } = statement('UseTable');
    const { Action: secrets } = statement('ReadSecrets');
    const { Action: topics } = statement('PublishEvents');
    // A batch is published with the permission to publish.
    const granted = [table, secrets, topics].flat().map((action) => action.replace(/^\w+:/, ''));
    const asked = [...commands, ...inTransactions].map((name) =>
      name === 'PublishBatch' ? 'Publish' : name,
    );
    expect([...granted].sort()).toEqual([...new Set(asked)].sort());
  });
});

describe('every role', () => {
  test('has only inline policies without a wildcard, but for the suffix of secrets', () => {
    for (const { ofType } of [built, own]) {
      const roles = ofType('AWS::IAM::Role');
      expect(roles.map(({ path }) => path)).toEqual([
        'PollTimesheets/Role',
        'PollTimesheets/Schedules/Role',
        'PollPayPeriods/Role',
        'PollPayPeriods/Schedules/Role',
      ]);
      for (const { properties } of roles) expect(properties).not.toHaveProperty('ManagedPolicyArns');
      const policies = ofType('AWS::IAM::Policy');
      expect(policies.map(({ path }) => path)).toEqual(roles.map(({ path }) => `${path}/DefaultPolicy`));
      for (const { Action, Resource } of policies.flatMap(statementsOf)) {
        for (const text of [Action, Resource].flat()) {
          expect(text.replace(/:secret:[^?*]+-\?{6}$/, '')).not.toMatch(/[*?]/);
        }
      }
    }
  });
});

function statement(sid: string): Statement {
  const found = statementsOf(built.at('PollTimesheets/Role/DefaultPolicy')).find(({ Sid }) => Sid === sid);
  if (found === undefined) throw new Error(`no statement ${sid}`);
  return found;
}

/** All code of an adapter. */
function sourceOf(adapter: string): string {
  const folder = join('shared/adapters', adapter);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}
