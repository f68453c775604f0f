import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import { createSecretClients, createSnsClient, createSqsClient } from '#local/aws/engines/clients.ts';
import { type Endpoints, LOCAL_REGION } from '#local/aws/template/local-account.ts';
import type { SecretClients } from '#shared/adapters/secrets/secret-reader.ts';
import { type Commands, createCommands, OPERATOR } from './commands.ts';
import { type Gate, openGate } from './gate.ts';
import { startMoto } from './moto.ts';

/** An account in an emulator of its own, as its operator reaches it, with a gate in front of it. */
export interface Account {
  /** For logs, assemblies and data. */
  readonly folder: string;
  readonly endpoint: string;
  /** As functions get them, each with its own access key. */
  readonly endpoints: Endpoints;
  readonly gate: Gate;
  readonly commands: Commands;
  readonly lambda: LambdaClient;
  readonly secrets: SecretClients;
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  stop(): Promise<void>;
}

export async function openAccount(): Promise<Account> {
  const folder = join(PROJECT_ROOT, '.cache', 'deployed');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const moto = await startMoto(join(folder, 'emulator.log'));
  const gate = await openGate(moto.endpoint);
  const { endpoint } = gate;
  const endpoints = {
    dynamoDb: endpoint,
    messaging: endpoint,
    secretsManager: endpoint,
    accessKeyId: OPERATOR,
  };
  const credentials = { accessKeyId: OPERATOR, secretAccessKey: OPERATOR };
  return {
    folder,
    endpoint,
    endpoints,
    gate,
    commands: createCommands({ endpoint, logFile: join(folder, 'commands.log') }),
    lambda: new LambdaClient({ endpoint, region: LOCAL_REGION, credentials }),
    secrets: createSecretClients(endpoints),
    sns: createSnsClient(endpoints),
    sqs: createSqsClient(endpoints),
    stop: async () => {
      await gate.stop();
      await moto.stop();
    },
  };
}
