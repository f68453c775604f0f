import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { SNSClient } from '@aws-sdk/client-sns';
import * as z from 'zod';
import { nameParameter, readParameterName } from '#shared/config/schema/secret-name.ts';
import { readBody, serveOnLoopback } from '../loopback-server.ts';
import { createSnsClient, createSqsClient } from './engines/clients.ts';
import { type DataFolder, FUNCTIONS_LOG } from './engines/data-folder.ts';
import { createAccessKey, keepDoor, SERVICES } from './engines/door.ts';
import { type Engine, startDynamoDb } from './engines/dynamodb-engine.ts';
import { type MessagingEngine, startMessaging } from './engines/messaging-engine.ts';
import type { QueueAccess } from './functions/queue-messages.ts';
import { type Adaptation, type RunningFunctions, startFunctions } from './functions/running-functions.ts';
import type { VirtualClock } from './functions/virtual-clock.ts';
import { applyTemplate } from './template/apply.ts';
import { readAssembly } from './template/assembly.ts';
import type { Deployment } from './template/deployment.ts';
import { type Endpoints, localArn } from './template/local-account.ts';

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
}

/** One machine in the place of AWS: the engines, the template applied to them, and its functions ready to run. */
export interface LocalAws extends RunningFunctions, QueueAccess {
  readonly deployment: Deployment;
  readonly endpoints: Endpoints;
  /** Who else reaches the table; null when nobody does. */
  readonly exposure: string | null;
  readonly sns: SNSClient;
  /** Log file of the functions. */
  readonly logFile: string;
}

/** Starts everything but the schedules: the caller decides when to invoke. */
export async function startLocalAws(options: LocalAwsOptions): Promise<LocalAws> {
  const assembly = readAssembly(options.assembly);
  const engines = await startEngines(options.folder, options);
  const { endpoints, exposure, inspectQueue, awaitMessages } = engines;
  try {
    const deployment = await applyTemplate(assembly, endpoints);
    const adaptation = options.adapt?.(deployment);
    const logFile = options.folder.file(FUNCTIONS_LOG);
    const sns = createSnsClient(endpoints);
    const sqs = createSqsClient(endpoints);
    const { environment, clock } = options;
    const queues = { sqs, inspectQueue, awaitMessages };
    const runtime = { ...queues, environment, endpoints, clock, logFile };
    const functions = startFunctions(deployment, { ...runtime, adaptation });
    const stop = async () => {
      await functions.stop();
      sns.destroy();
      sqs.destroy();
      await engines.stop();
    };
    return { ...functions, ...queues, deployment, endpoints, exposure, sns, logFile, stop };
  } catch (error) {
    await engines.stop();
    throw error;
  }
}

/** The local services of a data folder, and how its queues are looked at. */
export interface Engines extends Pick<MessagingEngine, 'inspectQueue' | 'awaitMessages'> {
  readonly endpoints: Endpoints;
  /** Who else reaches the table; null when nobody does. */
  readonly exposure: string | null;
  stop(): Promise<void>;
}

/** Throws a `NotifierError` when the data folder is damaged or an engine does not start. */
export async function startEngines(
  folder: DataFolder,
  { environment, secrets }: Pick<LocalAwsOptions, 'environment' | 'secrets'>,
): Promise<Engines> {
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
    const { inspectQueue, awaitMessages } = messaging;
    return { endpoints, exposure: dynamoDb.exposure, inspectQueue, awaitMessages, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The operations that read a secret: what it is called in the request, and the answer. */
const READS = {
  'secretsmanager.GetSecretValue': {
    nameSchema: z.looseObject({ SecretId: z.string() }).transform(({ SecretId }) => toSecretName(SecretId)),
    missing: 'ResourceNotFoundException',
    answer: (name: string, value: string) => ({
      ARN: localArn('secretsmanager', `secret:${name}`),
      Name: name,
      SecretString: value,
      VersionId: '00000000-0000-4000-8000-000000000000',
      VersionStages: ['AWSCURRENT'],
      CreatedDate: 0,
    }),
  },
  'AmazonSSM.GetParameter': {
    nameSchema: z.looseObject({ Name: z.string() }).transform(({ Name }) => nameParameter(Name)),
    missing: 'ParameterNotFound',
    answer: (name: string, value: string) => ({
      Parameter: { Name: readParameterName(name), Type: 'SecureString', Value: value },
    }),
  },
} as const;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/**
 * What reads a secret of Secrets Manager, by name or ARN, or a parameter of Systems Manager, over their JSON 1.1
 * protocol. The secrets are kept in memory, never in the data folder.
 */
export async function startSecrets(
  secrets: ReadonlyMap<string, string>,
  accessKeyId: string,
): Promise<Engine> {
  const listener: RequestListener = (request, response) => {
    void answer(request, secrets).then((result) => write(response, result));
  };
  const rules = { accessKeyId: () => accessKeyId, services: SERVICES.secretsManager };
  return await serveOnLoopback(keepDoor(listener, rules));
}

async function answer(request: IncomingMessage, secrets: ReadonlyMap<string, string>): Promise<Answer> {
  const target = String(request.headers['x-amz-target']);
  if (!isRead(target)) return refusal('UnknownOperationException', `no operation ${target}`);
  const read = READS[target];
  const name = read.nameSchema.safeParse(await readJsonBody(request));
  if (!name.success) return refusal('InvalidParameterException', 'the name is missing');
  const value = secrets.get(name.data);
  if (value === undefined) return refusal(read.missing, `there is no secret ${name.data}`);
  return { status: 200, body: read.answer(name.data, value) };
}

function isRead(target: string): target is keyof typeof READS {
  return Object.hasOwn(READS, target);
}

function toSecretName(secretId: string): string {
  return secretId.startsWith('arn:')
    ? secretId.slice(localArn('secretsmanager', 'secret:').length)
    : secretId;
}

function refusal(type: string, message: string): Answer {
  return { status: 400, body: { __type: type, message } };
}

/** The JSON of a request; `null` when it cannot be parsed. */
async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  try {
    return JSON.parse((await readBody(request)) ?? '');
  } catch {
    // A caller that is gone or sends something else is refused as for a missing field.
    return null;
  }
}

function write(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    ...(status === 200 ? {} : { 'x-amzn-errortype': String(body.__type) }),
  });
  response.end(JSON.stringify(body));
}
