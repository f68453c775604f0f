import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import type { DeployedFunction, Deployment } from '../template/deployment.ts';
import { createFunctionHost, type FunctionHost, type FunctionRuntime } from './function-host.ts';
import type { QueueAccess } from './queue-messages.ts';
import { type RunningTrigger, startTrigger } from './queue-trigger.ts';

/** A larger log is rotated; one older log is kept. A source on which nothing happens brings less in a day. */
const MAX_LOG_BYTES = 5 * 1024 * 1024;

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

export interface FunctionsOptions extends FunctionRuntime, QueueAccess {
  /** Log file of the functions. */
  readonly logFile: string;
  readonly adaptation?: Adaptation | undefined;
}

/** The functions of a template, ready to be invoked, and fed from their queues. */
export interface RunningFunctions {
  /** Invokes a function and returns its result. Throws as `FunctionHost.invoke` does. */
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /** Whether no chosen function has messages to process now. Messages waiting for a retry do not count. */
  idle(chosen: (functionName: string) => boolean): boolean;
  /** Unprocessed messages of the chosen functions by queue, without empty queues. */
  backlog(chosen: (functionName: string) => boolean): readonly QueueBacklog[];
  stop(): Promise<void>;
}

/** Unprocessed messages of a queue. */
export interface QueueBacklog {
  readonly queueName: string;
  readonly messages: number;
}

export function startFunctions(
  { functions, triggers: deployed }: Deployment,
  { logFile, sqs, inspectQueue, awaitMessages, adaptation = NO_ADAPTATION, ...runtime }: FunctionsOptions,
): RunningFunctions {
  const log = openLog(logFile);
  const hosts = new Map(functions.map((each) => [each.name, createHost(each, adaptation, { runtime, log })]));
  const invoke = async (functionName: string, event: unknown): Promise<unknown> => {
    try {
      return await hostOf(hosts, functionName).invoke(event);
    } finally {
      rotateLog(logFile, log);
    }
  };
  const served = new Set(functions.filter(adaptation.serves).map(({ name }) => name));
  const triggers = deployed
    .filter(({ functionName }) => served.has(functionName))
    .map((trigger) => startTrigger(trigger, { sqs, inspectQueue, awaitMessages, invoke }));
  const triggersOf = (chosen: (functionName: string) => boolean) =>
    triggers.filter(({ functionName }) => chosen(functionName));
  return {
    invoke,
    idle: (chosen) => triggersOf(chosen).every((trigger) => trigger.idle()),
    backlog: (chosen) =>
      triggersOf(chosen)
        .map(({ queueName, undelivered }) => ({ queueName, messages: undelivered() }))
        .filter(({ messages }) => messages > 0),
    stop: async () => {
      await stopAll(triggers, hosts);
      closeSync(log);
    },
  };
}

function createHost(
  deployed: DeployedFunction,
  { adapt, inRealTime }: Adaptation,
  { runtime, log }: { readonly runtime: FunctionRuntime; readonly log: number },
): FunctionHost {
  const clock = inRealTime(deployed) ? null : runtime.clock;
  return createFunctionHost(adapt(deployed), { ...runtime, clock, log });
}

function hostOf(hosts: ReadonlyMap<string, FunctionHost>, name: string): FunctionHost {
  const host = hosts.get(name);
  if (host === undefined) throw new Error(`no function ${name} in the template`);
  return host;
}

async function stopAll(triggers: readonly RunningTrigger[], hosts: ReadonlyMap<string, FunctionHost>) {
  const stopping = triggers.map((trigger) => trigger.stop());
  await Promise.all([...hosts.values()].map((host) => host.stop()));
  await Promise.all(stopping);
}

/** Opens a log file for functions, whose threads write to the descriptor themselves. */
export function openLog(file: string): number {
  const log = openSync(file, 'a', 0o600);
  rotateLog(file, log);
  return log;
}

/** Begins a log anew that is large. Copied, not renamed: the threads of functions write to its descriptor. */
function rotateLog(file: string, log: number): void {
  if (fstatSync(log).size <= MAX_LOG_BYTES) return;
  copyFileSync(file, `${file}.1`);
  ftruncateSync(log);
}
