interface ByAws {
  readonly action: string;
  /** Only by this statement; default: by any. */
  readonly statement?: string;
  readonly by: string;
  readonly document: string;
}

const LAMBDA_LOGS = {
  by: 'Lambda, for the log',
  document: 'https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html',
};
const LAMBDA_QUEUE = {
  by: 'Lambda, which reads the queue',
  document: 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html',
};
const DYNAMODB_KEY = {
  statement: 'UseKey',
  by: 'DynamoDB, with the key of the table',
  document: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html',
};

/** What AWS does with a function's role. Nobody does it here. */
export const DONE_BY_AWS: readonly ByAws[] = [
  { ...LAMBDA_LOGS, action: 'logs:CreateLogStream' },
  { ...LAMBDA_LOGS, action: 'logs:PutLogEvents' },
  { ...LAMBDA_QUEUE, action: 'sqs:ReceiveMessage' },
  { ...LAMBDA_QUEUE, action: 'sqs:DeleteMessage' },
  { ...LAMBDA_QUEUE, action: 'sqs:GetQueueAttributes', statement: 'ReceiveMessages' },
  { ...LAMBDA_QUEUE, action: 'kms:Decrypt', statement: 'UseKeyOfOwnQueue' },
  { ...DYNAMODB_KEY, action: 'kms:Decrypt', statement: 'UseKeyOfTable' },
  {
    action: 'sqs:SendMessage',
    statement: 'sqs:SendMessage',
    by: 'Lambda, for a request that failed',
    document: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html',
  },
  ...[
    'Decrypt',
    'DescribeKey',
    'Encrypt',
    'GenerateDataKey',
    'GenerateDataKeyWithoutPlaintext',
    'ReEncryptFrom',
    'ReEncryptTo',
  ].map((name): ByAws => ({ ...DYNAMODB_KEY, action: `kms:${name}` })),
];

interface Rare {
  readonly kind: string;
  readonly statement: string;
  readonly actions: readonly string[];
  readonly reason: string;
}

const OWN_KEY = {
  statement: 'DecryptSecrets',
  actions: ['kms:Decrypt'],
  reason: 'the secrets of the run have no key of their own',
};
const PROCESSING = 'the rules of the run do not ask whether a pay period is processed';
const GIVEN_UP = 'neither Slack nor Teams refuses a message of the run for good';
const TAKEN = 'the bus takes every event of the run';

/** What a function may do, and does not do in every run. */
export const RARE: readonly Rare[] = [
  ...['poll-timesheets', 'poll-pay-periods', 'poll-directory', 'deliver-chat', 'deliver-webhook'].map(
    (kind): Rare => ({ ...OWN_KEY, kind }),
  ),
  {
    kind: 'collect-alerts',
    statement: 'ReadTable',
    actions: ['dynamodb:GetItem', 'dynamodb:Query'],
    reason: PROCESSING,
  },
  { kind: 'collect-alerts', statement: 'UseTable', actions: ['dynamodb:UpdateItem'], reason: PROCESSING },
  {
    kind: 'collect-alerts',
    statement: 'UseTable',
    actions: ['dynamodb:GetItem'],
    reason:
      'only an alert that is there already is looked up, and what a timesheet came to that is processed again',
  },
  { kind: 'deliver-chat', statement: 'SendMessages', actions: ['sqs:SendMessage'], reason: GIVEN_UP },
  {
    kind: 'deliver-chat',
    statement: 'UseKeyOfQueues',
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    reason: GIVEN_UP,
  },
  { kind: 'deliver-to-bus', statement: 'SendMessages', actions: ['sqs:SendMessage'], reason: TAKEN },
  {
    kind: 'deliver-to-bus',
    statement: 'UseKeyOfQueues',
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    reason: TAKEN,
  },
  {
    kind: 'deliver-webhook',
    statement: 'Note',
    actions: ['dynamodb:DeleteItem'],
    reason: 'the address of a webhook that was disabled does not change in the run',
  },
];
