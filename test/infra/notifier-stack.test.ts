import { beforeAll, describe, expect, test } from 'vitest';
import { EVENT_TOPIC_NAMES, TOPIC_NAMES } from '#shared/config/names.ts';
import { TABLE } from '#shared/config/table.ts';
import {
  EVERYTHING,
  partsOf,
  type Statement,
  type Synthesized,
  statementsOf,
  synthesize,
} from './synthesized.ts';

let standard: Synthesized;
let customerManaged: Synthesized;

beforeAll(() => {
  standard = synthesize({
    queues: [
      {
        name: 'payroll',
        topics: ['timesheets', 'pay-periods'],
        filter: {
          type: ['workforce.timesheet.approved', 'workforce.pay_period.closed'],
          connection: ['main'],
          organisationId: [7, 'north'],
          late: true,
        },
      },
      { name: 'archive', topics: ['operations'], queueArn: 'arn:aws:sqs:eu-west-1:111122223333:archive' },
    ],
    people: EVERYTHING.people,
    webhooks: EVERYTHING.webhooks,
  });
  customerManaged = synthesize({
    encryption: 'customer-managed',
    queues: [{ name: 'payroll', topics: ['timesheets'] }],
  });
});

describe('table', () => {
  test('holds items by the keys of the table definition, and deletes them by its time to live', () => {
    const { properties } = standard.at('State/Table');
    expect(properties).toMatchObject({
      KeySchema: [
        { AttributeName: TABLE.partitionKey, KeyType: 'HASH' },
        { AttributeName: TABLE.sortKey, KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: TABLE.timeToLive, Enabled: true },
      BillingMode: 'PAY_PER_REQUEST',
    });
  });

  test('is not lost by mistake: point-in-time recovery, deletion protection, kept when the stack is deleted', () => {
    const { properties, deletionPolicy } = standard.at('State/Table');
    expect(properties).toMatchObject({
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
    });
    expect(deletionPolicy).toBe('Retain');
  });
});

describe('topics', () => {
  test('are named after the stack', () => {
    const names = standard.ofType('AWS::SNS::Topic').map(({ properties }) => properties.TopicName);
    expect(names).toEqual(TOPIC_NAMES.map((name) => `workforce-notifier-${name}`));
  });

  test('sign what they send over HTTP by version 2', () => {
    const versions = standard.ofType('AWS::SNS::Topic').map(({ properties }) => properties.SignatureVersion);
    expect(versions).toEqual(TOPIC_NAMES.map(() => '2'));
  });

  test('of events use the key that AWS manages; the one of alerts has none, since CloudWatch could not use it', () => {
    const key = 'arn:<AWS::Partition>:kms:<AWS::Region>:<AWS::AccountId>:alias/aws/sns';
    for (const name of EVENT_TOPIC_NAMES) {
      expect(standard.at(`Topics/${name}`).properties.KmsMasterKeyId).toBe(key);
    }
    expect(standard.at('Topics/alerts').properties).not.toHaveProperty('KmsMasterKeyId');
  });

  test.each([
    ['timesheets', ['<Poll/Role.Arn>']],
    ['pay-periods', ['<Poll/Role.Arn>']],
    ['operations', ['<Poll/Role.Arn>', '<Webhook-system/Role.Arn>']],
  ])('%s accepts events over TLS from the functions of the stack alone', (name, publishers) => {
    const everybody = { Action: 'sns:Publish', Effect: 'Deny', Resource: `<Topics/${name}>` };
    const statements = statementsOf(standard.at(`Topics/${name}/Policy`));
    expect(statements).toContainEqual({
      ...everybody,
      Sid: 'AllowPublishThroughSSLOnly',
      Principal: '*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
    expect(statements).toContainEqual({
      ...everybody,
      Sid: 'OnlyOurFunctionsPublish',
      Principal: { AWS: '*' },
      Condition: { ArnNotEquals: { 'aws:PrincipalArn': publishers } },
    });
    expect(allowedActions(statements)).toEqual([]);
  });

  test('that of alerts lets CloudWatch alone publish', () => {
    expect(statementsOf(standard.at('Topics/alerts/Policy')).filter(isAllow)).toEqual([
      {
        Sid: 'AlarmsPublish',
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: '<Topics/alerts>',
        Condition: {
          ArnLike: {
            'aws:SourceArn': 'arn:<AWS::Partition>:cloudwatch:<AWS::Region>:<AWS::AccountId>:alarm:*',
          },
        },
      },
    ]);
  });
});

describe('a queue of the config', () => {
  const filterPolicy = {
    type: ['workforce.timesheet.approved', 'workforce.pay_period.closed'],
    connection: ['main'],
    late: ['true'],
    $or: [{ organisationId: ['7', 'north'] }, { previousOrganisationId: ['7', 'north'] }],
  };

  test.each(['timesheets', 'pay-periods'])(
    'gets the raw events of %s that its filter lets through',
    (name) => {
      expect(standard.at(`Queue-payroll/${name}`).properties).toEqual({
        TopicArn: `<Topics/${name}>`,
        Protocol: 'sqs',
        Endpoint: '<Queue-payroll/Queue.Arn>',
        RawMessageDelivery: true,
        FilterPolicy: filterPolicy,
        RedrivePolicy: { deadLetterTargetArn: '<Queue-payroll/DeadLetters.Arn>' },
      });
    },
  );

  test('has an encrypted queue that gives up after some receives and keeps messages for 14 days', () => {
    expect(standard.at('Queue-payroll/Queue').properties).toEqual({
      QueueName: 'workforce-notifier-payroll',
      MessageRetentionPeriod: 14 * 86_400,
      VisibilityTimeout: 300,
      SqsManagedSseEnabled: true,
      RedrivePolicy: { deadLetterTargetArn: '<Queue-payroll/DeadLetters.Arn>', maxReceiveCount: 5 },
    });
    expect(standard.at('Queue-payroll/DeadLetters').properties).toMatchObject({
      QueueName: 'workforce-notifier-payroll-dead-letters',
      MessageRetentionPeriod: 14 * 86_400,
      SqsManagedSseEnabled: true,
    });
  });

  test('lets only its topics send', () => {
    const { properties } = standard.at('Queue-payroll/DeadLetters/Policy');
    expect(properties.Queues).toEqual(['<Queue-payroll/DeadLetters>', '<Queue-payroll/Queue>']);
    const allowed = statementsOf(standard.at('Queue-payroll/DeadLetters/Policy')).filter(isAllow);
    expect(allowed).toContainEqual({
      Sid: 'TopicsDeliver',
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: '*',
      Condition: { ArnEquals: { 'aws:SourceArn': ['<Topics/timesheets>', '<Topics/pay-periods>'] } },
    });
    const others = allowed.filter(({ Sid }) => Sid !== 'TopicsDeliver');
    expect(others.map(({ Principal, Action, Condition }) => ({ Principal, Action, Condition }))).toEqual(
      ['<Topics/timesheets>', '<Topics/pay-periods>'].map((topic) => ({
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Condition: { ArnEquals: { 'aws:SourceArn': topic } },
      })),
    );
  });

  test('of an existing queue adds only a queue of dead letters, and without a filter gets every event', () => {
    expect(standard.at('Queue-archive/operations').properties).toEqual({
      TopicArn: '<Topics/operations>',
      Protocol: 'sqs',
      Endpoint: 'arn:aws:sqs:eu-west-1:111122223333:archive',
      RawMessageDelivery: true,
      RedrivePolicy: { deadLetterTargetArn: '<Queue-archive/DeadLetters.Arn>' },
    });
    const queues = standard.ofType('AWS::SQS::Queue').map(({ path }) => path);
    expect(queues).toContain('Queue-archive/DeadLetters');
    expect(queues).not.toContain('Queue-archive/Queue');
  });
});

describe('other stacks', () => {
  test('find topics, table, functions and queues as parameters; topics and table as outputs, too', () => {
    expect(partsOf(standard)).toEqual({
      'topics/timesheets/arn': '<Topics/timesheets>',
      'topics/directory/arn': '<Topics/directory>',
      'topics/pay-periods/arn': '<Topics/pay-periods>',
      'topics/operations/arn': '<Topics/operations>',
      'topics/alerts/arn': '<Topics/alerts>',
      'table/name': '<State/Table>',
      'queues/collect-alerts/url': '<People/Collect/Queue>',
      'queues/collect-alerts/dead-letters/url': '<People/Collect/DeadLetters>',
      'queues/slack-payroll/url': '<People/Slack-payroll/Queue>',
      'queues/slack-payroll/dead-letters/url': '<People/Slack-payroll/DeadLetters>',
      'queues/queue-payroll/url': '<Queue-payroll/Queue>',
      'queues/queue-payroll/dead-letters/url': '<Queue-payroll/DeadLetters>',
      'queues/queue-archive/url': 'https://sqs.eu-west-1.<AWS::URLSuffix>/111122223333/archive',
      'queues/queue-archive/dead-letters/url': '<Queue-archive/DeadLetters>',
      'queues/webhook-system/url': '<Webhook-system/Queue>',
      'queues/webhook-system/dead-letters/url': '<Webhook-system/DeadLetters>',
    });
    expect(standard.outputs).toEqual({
      TopicsTimesheetsArn: '<Topics/timesheets>',
      TopicsPayPeriodsArn: '<Topics/pay-periods>',
      TopicsDirectoryArn: '<Topics/directory>',
      TopicsOperationsArn: '<Topics/operations>',
      TopicsAlertsArn: '<Topics/alerts>',
      TableName: '<State/Table>',
    });
  });
});

describe('a customer-managed key', () => {
  test('encrypts table, topics of events, logs and the queues of the config', () => {
    const key = '<Encryption/Key.Arn>';
    expect(customerManaged.at('State/Table').properties.SSESpecification).toMatchObject({
      KMSMasterKeyId: key,
    });
    for (const name of EVENT_TOPIC_NAMES) {
      expect(customerManaged.at(`Topics/${name}`).properties.KmsMasterKeyId).toBe(key);
    }
    expect(customerManaged.at('Poll/Logs').properties.KmsKeyId).toBe(key);
    expect(customerManaged.at('Queue-payroll/Queue').properties.KmsMasterKeyId).toBe(key);
    expect(customerManaged.at('Queue-payroll/DeadLetters').properties.KmsMasterKeyId).toBe(key);
    expect(customerManaged.at('Encryption/Key').properties.EnableKeyRotation).toBe(true);
    expect(customerManaged.at('Encryption/Key').deletionPolicy).toBe('Retain');
  });

  test('lets topics reach the queues, and CloudWatch nothing', () => {
    expect(keyStatements('Encryption/Key')).toContainEqual({
      Sid: 'TopicsReachQueues',
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Resource: '*',
      Condition: { StringEquals: { 'aws:SourceAccount': '<AWS::AccountId>' } },
    });
    expect(JSON.stringify(keyStatements('Encryption/Key'))).not.toContain('cloudwatch');
  });

  test('is not that of the topic through which alarms about it go', () => {
    const key = '<Encryption/AlertTopicKey.Arn>';
    expect(customerManaged.at('Topics/alerts').properties.KmsMasterKeyId).toBe(key);
    const encrypted = customerManaged.resources.filter(
      ({ path, properties }) => path !== 'Topics/alerts' && JSON.stringify(properties).includes(key),
    );
    expect(encrypted).toEqual([]);
    expect(customerManaged.at('Encryption/AlertTopicKey').properties.EnableKeyRotation).toBe(true);
  });

  // KMS gets the topic from SNS with every request. Whether it gets account or alarm from CloudWatch, nobody says.
  test('of that topic is for alarms by the topic, which is all that KMS is sure to see', () => {
    expect(keyStatements('Encryption/AlertTopicKey').slice(1)).toEqual([
      {
        Sid: 'AlarmsReachTopic',
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        Resource: '*',
        Condition: {
          StringEquals: {
            'kms:EncryptionContext:aws:sns:topicArn': `arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:${customerManaged.at('Topics/alerts').properties.TopicName}`,
          },
        },
      },
    ]);
  });
});

function keyStatements(path: string): readonly Statement[] {
  return (customerManaged.at(path).properties.KeyPolicy as { Statement: Statement[] }).Statement;
}

function isAllow({ Effect }: Statement): boolean {
  return Effect === 'Allow';
}

function allowedActions(statements: readonly Statement[]): string[] {
  return statements.filter(isAllow).flatMap(({ Action }) => Action);
}
