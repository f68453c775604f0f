import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { OPERATOR, REGION } from './account.ts';
import { type AwsApi, createAwsApi } from './aws-api.ts';
import { type Commands, createCommands } from './command.ts';
import type { Journal } from './journal.ts';
import type { Gate } from './permissions/gate.ts';

/** The account in the emulator, as its operator reaches it. */
export interface AwsClients {
  readonly endpoint: string;
  /** For logs, assemblies and code packages. */
  readonly folder: string;
  readonly commands: Commands;
  readonly api: AwsApi;
  readonly dynamoDb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly secrets: SecretsManagerClient;
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  readonly ssm: SSMClient;
}

/** The account with the gate in front of it. */
export interface Aws extends AwsClients {
  readonly gate: Gate;
}

interface AwsOptions {
  readonly endpoint: string;
  readonly folder: string;
  /** Of what passes at the endpoint. */
  readonly journal: Journal;
}

export function createAws({ endpoint, folder, journal }: AwsOptions): AwsClients {
  const client = {
    endpoint,
    region: REGION,
    credentials: { accessKeyId: OPERATOR, secretAccessKey: OPERATOR },
  };
  return {
    endpoint,
    folder,
    commands: createCommands({ endpoint, logFile: `${folder}/commands.log`, journal }),
    api: createAwsApi(endpoint),
    dynamoDb: new DynamoDBClient(client),
    lambda: new LambdaClient(client),
    secrets: new SecretsManagerClient(client),
    sns: new SNSClient(client),
    sqs: new SQSClient({ ...client, useQueueUrlAsEndpoint: false }),
    ssm: new SSMClient(client),
  };
}
