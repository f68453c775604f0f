import { closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { createSnsClient, createSqsClient } from './engines/clients.ts';
import type { DataFolder } from './engines/data-folder.ts';
import { startDynamoDb } from './engines/dynamodb-engine.ts';
import { startMessaging } from './engines/messaging-engine.ts';
import { startSecrets } from './engines/secrets-endpoint.ts';
import { createFunctionHost, type FunctionHost, type HostOptions } from './functions/function-host.ts';
import { type RunningTrigger, startTrigger } from './functions/queue-trigger.ts';
import type { VirtualClock } from './functions/virtual-clock.ts';
import { applyTemplate } from './template/apply/template.ts';
import { readAssembly } from './template/assembly.ts';
import type { DeployedFunction, Deployment } from './template/deployment.ts';
import type { Endpoints } from './template/local-account.ts';

const LOG_FILE = 'functions.log';
/** A larger log is rotated at start; one older log is kept. */
const MAX_LOG_BYTES = 20 * 1024 * 1024;

/** How functions differ here from the template. */
export interface Adaptation {
  /** The function as it is run here. */
  adapt(deployed: DeployedFunction): DeployedFunction;
  /** Whether a function uses real time even with a virtual clock. */
  inRealTime(deployed: DeployedFunction): boolean;
  /** Whether a function reads its queues; if not, messages wait in the data folder. */
  serves(deployed: DeployedFunction): boolean;
}

const NO_ADAPTATION: Adaptation = {
  adapt: (deployed) => deployed,
  inRealTime: () => false,
  serves: () => true,
};

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
  readonly invoked?: ((invocation: InvocationResult) => void) | undefined;
}

/** What became of an invocation, for the metrics of a function. */
export interface InvocationResult {
  readonly functionName: string;
  readonly outcome: 'done' | 'failed';
}

/** One machine standing in for AWS: the engines, the template applied to them, and its functions ready to run. */
export interface LocalAws {
  readonly deployment: Deployment;
  readonly endpoints: Endpoints;
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  /** Log file of the functions. */
  readonly logFile: string;
  /** Starts the processes of functions ahead of their first invocation. */
  warm(functionNames: readonly string[]): void;
  /** Invokes a function and returns its result. Throws as `FunctionHost.invoke` does. */
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /** Whether no chosen function has messages to process now. Messages waiting for a retry do not count. */
  idle(chosen: (functionName: string) => boolean): Promise<boolean>;
  /** Unprocessed messages of the chosen functions by queue, without empty queues. */
  backlog(chosen: (functionName: string) => boolean): Promise<readonly QueueBacklog[]>;
  stop(): Promise<void>;
}

/** Unprocessed messages of a queue. */
export interface QueueBacklog {
  readonly queueName: string;
  readonly messages: number;
}

/** Starts everything but the schedules: the caller decides when to invoke. */
export async function startLocalAws(options: LocalAwsOptions): Promise<LocalAws> {
  const assembly = readAssembly(options.assembly);
  const engines = await startEngines(options);
  const { endpoints } = engines;
  try {
    const deployment = await applyTemplate(assembly, endpoints);
    const adaptation = options.adapt?.(deployment) ?? NO_ADAPTATION;
    const logFile = options.folder.file(LOG_FILE);
    const log = openLog(logFile);
    const reached = options.reach?.(endpoints) ?? endpoints;
    const hosts = createHosts(deployment, adaptation, { ...options, endpoints: reached, log });
    const sns = createSnsClient(endpoints.messaging);
    const sqs = createSqsClient(endpoints.messaging);
    const invoke = createInvoker(hosts, options.invoked);
    const served = new Set(deployment.functions.filter(adaptation.serves).map(({ name }) => name));
    const triggers = deployment.triggers
      .filter(({ functionName }) => served.has(functionName))
      .map((trigger) => startTrigger(trigger, { client: sqs, invoke }));
    return {
      deployment,
      endpoints,
      sns,
      sqs,
      logFile,
      warm: (names) => {
        for (const name of names) hostOf(hosts, name).warm();
      },
      invoke,
      idle: async (chosen) => {
        const asked = triggers.filter(({ functionName }) => chosen(functionName));
        return (await Promise.all(asked.map((trigger) => trigger.idle()))).every(Boolean);
      },
      backlog: async (chosen) => {
        const asked = triggers.filter(({ functionName }) => chosen(functionName));
        const counted = asked.map(async ({ queueName, undelivered }) => ({
          queueName,
          messages: await undelivered(),
        }));
        return (await Promise.all(counted)).filter(({ messages }) => messages > 0);
      },
      stop: async () => {
        await stopFunctions(triggers, hosts);
        sns.destroy();
        sqs.destroy();
        await engines.stop();
        closeSync(log);
      },
    };
  } catch (error) {
    await engines.stop();
    throw error;
  }
}

async function startEngines({ folder, environment, secrets }: LocalAwsOptions) {
  const starting = [
    startDynamoDb(folder, environment),
    startMessaging(folder),
    startSecrets(secrets),
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
    };
    return { endpoints, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createHosts(
  { functions }: Deployment,
  { adapt, inRealTime }: Adaptation,
  { environment, endpoints, clock, log }: HostOptions,
): Map<string, FunctionHost> {
  return new Map(
    functions.map((deployed) => {
      const runtime = { environment, endpoints, clock: inRealTime(deployed) ? null : clock, log };
      return [deployed.name, createFunctionHost(adapt(deployed), runtime)];
    }),
  );
}

function createInvoker(hosts: ReadonlyMap<string, FunctionHost>, invoked: LocalAwsOptions['invoked']) {
  return async (functionName: string, event: unknown): Promise<unknown> => {
    try {
      const result = await hostOf(hosts, functionName).invoke(event);
      invoked?.({ functionName, outcome: 'done' });
      return result;
    } catch (error) {
      invoked?.({ functionName, outcome: 'failed' });
      throw error;
    }
  };
}

function hostOf(hosts: ReadonlyMap<string, FunctionHost>, name: string): FunctionHost {
  const host = hosts.get(name);
  if (host === undefined) throw new Error(`no function ${name} in the template`);
  return host;
}

async function stopFunctions(triggers: readonly RunningTrigger[], hosts: ReadonlyMap<string, FunctionHost>) {
  const stopping = triggers.map((trigger) => trigger.stop());
  await Promise.all([...hosts.values()].map((host) => host.stop()));
  await Promise.all(stopping);
}

function openLog(file: string): number {
  if (existsSync(file) && statSync(file).size > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}
