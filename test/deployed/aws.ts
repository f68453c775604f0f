import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { REGION } from './account.ts';
import { type AwsApi, createAwsApi } from './aws-api.ts';
import { type Commands, createCommands } from './command.ts';
import type { Emulator } from './emulators/emulator.ts';

/** The account in the emulator, as its operator reaches it. */
export interface Aws {
  readonly emulator: Emulator;
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
}

export function createAws(emulator: Emulator, endpoint: string, folder: string): Aws {
  const client = { endpoint, region: REGION, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  return {
    emulator,
    endpoint,
    folder,
    commands: createCommands(endpoint, `${folder}/commands.log`),
    api: createAwsApi(endpoint),
    dynamoDb: new DynamoDBClient(client),
    lambda: new LambdaClient(client),
    secrets: new SecretsManagerClient(client),
    sns: new SNSClient(client),
    sqs: new SQSClient({ ...client, useQueueUrlAsEndpoint: false }),
  };
}
