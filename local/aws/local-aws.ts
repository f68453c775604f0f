import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { createSnsClient, createSqsClient } from './engines/clients.ts';
import { type DataFolder, FUNCTIONS_LOG } from './engines/data-folder.ts';
import { createAccessKey } from './engines/door.ts';
import { startDynamoDb } from './engines/dynamodb-engine.ts';
import { type MessagingEngine, startMessaging } from './engines/messaging-engine.ts';
import { startSecrets } from './engines/secrets-endpoint.ts';
import {
  type Adaptation,
  type FunctionsOptions,
  type RunningFunctions,
  startFunctions,
} from './functions/running-functions.ts';
import type { VirtualClock } from './functions/virtual-clock.ts';
import { applyTemplate } from './template/apply/template.ts';
import { readAssembly } from './template/assembly.ts';
import type { Deployment } from './template/deployment.ts';
import type { Endpoints } from './template/local-account.ts';

export interface LocalAwsOptions {
  readonly folder: DataFolder;
  /** Folder of the cloud assembly that `cdk synth` wrote. */
  readonly assembly: string;
  /** Secret values by name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Clock of the functions; `null` for real time. */
  readonly clock: VirtualClock | null;
  readonly environment: NodeJS.ProcessEnv;
  /** Called after the template is applied and before any function runs. Default: no adaptation. */
  readonly adapt?: (deployment: Deployment) => Adaptation;
  /** Where functions reach the engines, which may be behind something; default: the engines themselves. */
  readonly reach?: ((engines: Endpoints) => Endpoints) | undefined;
  /** Called after each invocation. */
  readonly invoked?: FunctionsOptions['invoked'];
}

/** One machine standing in for AWS: the engines, the template applied to them, and its functions ready to run. */
export interface LocalAws extends RunningFunctions {
  readonly deployment: Deployment;
  readonly endpoints: Endpoints;
  /** Who else reaches the table; null when nobody does. */
  readonly exposure: string | null;
  readonly inspectQueue: MessagingEngine['inspectQueue'];
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  /** Log file of the functions. */
  readonly logFile: string;
}

/** Starts everything but the schedules: the caller decides when to invoke. */
export async function startLocalAws(options: LocalAwsOptions): Promise<LocalAws> {
  const assembly = readAssembly(options.assembly);
  const engines = await startEngines(options);
  const { endpoints, inspectQueue, exposure } = engines;
  try {
    const deployment = await applyTemplate(assembly, endpoints);
    const adaptation = options.adapt?.(deployment);
    const logFile = options.folder.file(FUNCTIONS_LOG);
    const sns = createSnsClient(endpoints);
    const sqs = createSqsClient(endpoints);
    const { environment, clock, invoked } = options;
    const reached = options.reach?.(endpoints) ?? endpoints;
    const runtime = { environment, endpoints: reached, clock, logFile, sqs, adaptation, invoked };
    const functions = startFunctions(deployment, runtime);
    const stop = async () => {
      await functions.stop();
      sns.destroy();
      sqs.destroy();
      await engines.stop();
    };
    return { ...functions, deployment, endpoints, exposure, inspectQueue, sns, sqs, logFile, stop };
  } catch (error) {
    await engines.stop();
    throw error;
  }
}

async function startEngines({ folder, environment, secrets }: LocalAwsOptions) {
  const accessKeyId = createAccessKey();
  const starting = [
    startDynamoDb(folder, { environment, accessKeyId }),
    startMessaging(folder, accessKeyId),
    startSecrets(secrets, accessKeyId),
  ] as const;
  const stop = async () => {
    await Promise.allSettled(starting.map(async (engine) => (await engine).stop()));
  };
  try {
    const [dynamoDb, messaging, secretsManager] = await Promise.all(starting);
    const endpoints: Endpoints = {
      dynamoDb: dynamoDb.endpoint,
      messaging: messaging.endpoint,
      secretsManager: secretsManager.endpoint,
      accessKeyId,
    };
    return { endpoints, inspectQueue: messaging.inspectQueue, exposure: dynamoDb.exposure, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
