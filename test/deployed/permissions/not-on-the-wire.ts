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
  { ...LAMBDA_QUEUE, action: 'sqs:GetQueueAttributes' },
  { ...LAMBDA_QUEUE, action: 'kms:Decrypt', statement: 'UseKeyOfOwnQueue' },
  {
    action: 'sqs:SendMessage',
    statement: 'sqs:SendMessage',
    by: 'Lambda, for a request that failed',
    document: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html',
  },
  ...[
    'DescribeKey',
    'Encrypt',
    'GenerateDataKey',
    'GenerateDataKeyWithoutPlaintext',
    'ReEncryptFrom',
    'ReEncryptTo',
  ].map((name): ByAws => ({ ...DYNAMODB_KEY, action: `kms:${name}` })),
];

/** What a function may do, and no scenario makes it do. */
export const NOT_SEEN: readonly {
  readonly kind: string;
  readonly statement: string;
  readonly action: string;
  readonly reason: string;
}[] = [];
