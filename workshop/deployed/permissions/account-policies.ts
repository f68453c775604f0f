import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetTopicAttributesCommand, type SNSClient } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { buildArn } from '../account.ts';
import { type AwsApi, readElement } from '../aws-api.ts';
import { parsePolicy, type Statement } from './policy.ts';

/** What a request touches, as the account describes it. */
export interface Touched {
  /** Of the secret, where the request names it otherwise. */
  readonly arn: string;
  /** Of its resource policy. */
  readonly statements: readonly Statement[];
  /** ARN of a key that the customer manages. AWS's own keys ask for no permission of a role in the account. */
  readonly keyArn: string | null;
}

export interface AccountClients {
  readonly api: AwsApi;
  readonly dynamoDb: DynamoDBClient;
  readonly secrets: SecretsManagerClient;
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
}

/** The statements of all inline policies of a role. Throws when it has attached ones, which no role of the stack has. */
export async function readRolePolicies(api: AwsApi, roleArn: string): Promise<readonly Statement[]> {
  const RoleName = roleArn.slice(roleArn.lastIndexOf('/') + 1);
  const ask = (Action: string, more: Readonly<Record<string, string>> = {}) =>
    api.query('iam', { Action, Version: '2010-05-08', RoleName, ...more });
  if ((await ask('ListAttachedRolePolicies')).includes('<PolicyArn>')) {
    throw new Error(`${RoleName} has attached policies, which this test does not read`);
  }
  const names = (await ask('ListRolePolicies')).matchAll(/<member>([^<]+)<\/member>/g);
  const policies = await Promise.all(
    [...names].map(async ([, PolicyName = '']) => {
      const xml = await ask('GetRolePolicy', { PolicyName });
      return parsePolicy(decodeURIComponent(readElement(xml, 'PolicyDocument')));
    }),
  );
  return policies.flat();
}

/** Reads what a resource of a request is. Something that is not there has no policy and no key. */
export async function readTouched(clients: AccountClients, arn: string): Promise<Touched> {
  const service = arn.startsWith('arn:') ? arn.split(':')[2] : 'secretsmanager';
  // Requests name a secret by its name. Secrets Manager adds six characters to it.
  const fullArn = arn.startsWith('arn:') ? arn : buildArn('secretsmanager', `secret:${arn}-AbCdEf`);
  const nothing = { arn: fullArn, statements: [], keyArn: null };
  return (await READERS[service ?? '']?.(clients, arn).catch(() => nothing)) ?? nothing;
}

const READERS: Readonly<Record<string, (clients: AccountClients, arn: string) => Promise<Touched>>> = {
  sns: async ({ sns }, arn) => {
    const { Attributes = {} } = await sns.send(new GetTopicAttributesCommand({ TopicArn: arn }));
    return describe(arn, Attributes.KmsMasterKeyId, Attributes.Policy);
  },
  sqs: async ({ sqs }, arn) => {
    const QueueUrl = `https://sqs/${arn.split(':').slice(4).join('/')}`;
    const AttributeNames = ['Policy' as const, 'KmsMasterKeyId' as const];
    const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
    return describe(arn, Attributes.KmsMasterKeyId, Attributes.Policy);
  },
  dynamodb: async ({ dynamoDb }, arn) => {
    const TableName = arn.slice(arn.lastIndexOf('/') + 1);
    const { Table } = await dynamoDb.send(new DescribeTableCommand({ TableName }));
    return describe(arn, Table?.SSEDescription?.KMSMasterKeyArn, undefined);
  },
  secretsmanager: async ({ secrets }, SecretId) => {
    const { ARN = SecretId, KmsKeyId } = await secrets.send(new DescribeSecretCommand({ SecretId }));
    return describe(ARN, KmsKeyId, undefined);
  },
};

function describe(arn: string, key: string | undefined, policy: string | undefined): Touched {
  return {
    arn,
    statements: policy === undefined || policy === '' ? [] : parsePolicy(policy),
    keyArn: key === undefined || key === '' || key.includes('alias/aws/') ? null : toKeyArn(key),
  };
}

function toKeyArn(key: string): string {
  return key.startsWith('arn:') ? key : buildArn('kms', `key/${key}`);
}
