import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DescribeParametersCommand, paginateGetParametersByPath, SSMClient } from '@aws-sdk/client-ssm';
import { createSecretReader } from '#shared/adapters/secrets/secret-reader.ts';
import { system } from '#shared/adapters/system/system.ts';
import { toPartsPrefix, unpackParts } from '#shared/config/part-names.ts';
import { readProxies } from '#shared/config/proxies.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { readParameterName } from '#shared/config/schema/secret-name.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from './target.ts';
import { createPartLookup } from './target.ts';

/** Clients for AWS; credentials and region are those of the AWS CLI. */
export interface AwsClients {
  readonly dynamoDb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
  readonly ssm: SSMClient;
  readonly secretsManager: SecretsManagerClient;
}

function createAwsClients(): AwsClients {
  const proxyEnv = readProxies(process.env);
  const options =
    proxyEnv === undefined ? {} : { requestHandler: { httpsAgent: { keepAlive: true, proxyEnv } } };
  return {
    dynamoDb: new DynamoDBClient(options),
    // An endpoint of the environment counts, as in the functions, not the host of a queue's URL.
    sqs: new SQSClient({ ...options, useQueueUrlAsEndpoint: false }),
    sns: new SNSClient(options),
    ssm: new SSMClient(options),
    secretsManager: new SecretsManagerClient(options),
  };
}

/** The deployed stack. Throws a `NotifierError`: `aws_unreachable`, `stack_missing`. */
export async function openAwsTarget(
  config: NotifierConfig,
  clients: AwsClients = createAwsClients(),
): Promise<Target> {
  const { stackName } = config;
  const parts = await readParts(stackName, clients.ssm);
  const title = `the stack ${stackName}`;
  const part = createPartLookup(parts, title);
  return {
    title,
    config,
    connections: config.connections,
    tableName: part('table/name'),
    dynamoDb: clients.dynamoDb,
    sqs: clients.sqs,
    sns: clients.sns,
    system,
    speed: 1,
    redirects: false,
    parts,
    part,
    hasSecret: (secretName) => hasSecret(secretName, clients),
    readSecret: (secretName) => createSecretReader({ clients, secretName, now: system.now }),
    close: async () => {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

/** The SSM parameters of the stack, by path without the name of the stack. */
async function readParts(stackName: string, client: SSMClient): Promise<ReadonlyMap<string, string>> {
  const Path = `/${toPartsPrefix(stackName)}/`;
  const parts = new Map<string, string>();
  try {
    const pages = paginateGetParametersByPath({ client }, { Path, Recursive: true });
    for await (const { Parameters = [] } of pages) {
      for (const { Name = '', Value = '' } of Parameters)
        for (const [path, value] of unpackParts([Name.slice(Path.length), Value])) parts.set(path, value);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new NotifierError(
      'aws_unreachable',
      `cannot reach AWS (${reason}); set credentials and AWS_REGION as for the AWS CLI, or use a data folder with --data`,
      { cause },
    );
  }
  if (parts.size > 0) return parts;
  throw new NotifierError(
    'stack_missing',
    `there is no stack "${stackName}" in this account and region; deploy it, or set AWS_REGION, AWS_PROFILE or stackName in the config`,
  );
}

/** Whether what a request describes exists. */
async function exists(describe: () => Promise<unknown>): Promise<boolean> {
  try {
    await describe();
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return false;
    throw error;
  }
}

/** Looks for it without reading it. A parameter that is not encrypted counts as none. */
async function hasSecret(secretName: string, { secretsManager, ssm }: AwsClients): Promise<boolean> {
  const parameter = readParameterName(secretName);
  if (parameter === null)
    return await exists(() => secretsManager.send(new DescribeSecretCommand({ SecretId: secretName })));
  const ParameterFilters = [
    { Key: 'Name', Option: 'Equals', Values: [parameter] },
    { Key: 'Type', Option: 'Equals', Values: ['SecureString'] },
  ];
  const { Parameters = [] } = await ssm.send(new DescribeParametersCommand({ ParameterFilters }));
  return Parameters.length > 0;
}
