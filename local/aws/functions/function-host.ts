import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { NotifierError } from '#shared/core/errors.ts';
import { TOKEN_VARIABLE } from '#shared/terminal/read-secret.ts';
import type { DeployedFunction } from '../template/deployment.ts';
import { type Endpoints, LOCAL_REGION, toCredentials } from '../template/local-account.ts';
import { isAwsSetting, NO_PROFILES } from '../user-settings.ts';
import type { Invocation, InvocationOutcome, WorkerStart } from './function-worker.ts';
import type { VirtualClock } from './virtual-clock.ts';

const THREAD = new URL('./function-worker.ts', import.meta.url);
/** Of real time, after which the thread of a function that nobody invokes ends, as in Lambda. Polls come more often. */
export const IDLE_MS = 120_000;

/** What a function needs here that is not in the template. */
export interface FunctionRuntime {
  /** Environment of this process, with proxies and certificates. */
  readonly environment: NodeJS.ProcessEnv;
  readonly endpoints: Endpoints;
  /** `null` for real time. */
  readonly clock: VirtualClock | null;
}

export interface HostOptions extends FunctionRuntime {
  /** File descriptor for the function's stdout and stderr. */
  readonly log: number;
}

/** Runs one function of the template in a thread of its own, with an environment of its own. */
export interface FunctionHost {
  readonly name: string;
  /**
   * Returns the result of the handler. One invocation at a time; others wait. Throws a `NotifierError` with the code
   * `function_failed`, `function_timed_out` or `function_crashed`; if the thread is gone, the next invocation starts
   * another.
   */
  invoke(event: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** The thread starts with the first invocation. */
export function createFunctionHost(deployed: DeployedFunction, options: HostOptions): FunctionHost {
  let thread: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let idling: NodeJS.Timeout | undefined;

  const ensureRunning = (): Worker => {
    if (thread !== null) return thread;
    const started = startThread(deployed, options);
    thread = started;
    started.once('exit', () => {
      if (thread === started) thread = null;
    });
    return started;
  };
  const invokeNow = async (event: unknown): Promise<unknown> => {
    if (stopped) throw toFunctionError(deployed, 'function_crashed', 'its host is stopped');
    clearTimeout(idling);
    const { timeoutMs } = deployed;
    const invocation = { requestId: randomUUID(), event, timeoutMs, clock: options.clock };
    try {
      return await run(ensureRunning(), deployed, invocation);
    } finally {
      idling = setTimeout(endIdle, IDLE_MS).unref();
    }
  };
  const endIdle = () => {
    void thread?.terminate();
    thread = null;
  };
  return {
    name: deployed.name,
    invoke: (event) => {
      const result = last.then(() => invokeNow(event));
      last = result.catch(() => {});
      return result;
    },
    stop: async () => {
      stopped = true;
      clearTimeout(idling);
      await thread?.terminate();
    },
  };
}

function startThread(deployed: DeployedFunction, options: HostOptions): Worker {
  const { log, clock } = options;
  const environment = buildFunctionEnvironment(deployed, options);
  const start: WorkerStart = { log, clock };
  const thread = new Worker(THREAD, {
    env: environment,
    // A thread reads no NODE_OPTIONS.
    execArgv: environment.NODE_OPTIONS?.split(' ').filter((word) => word !== '') ?? [],
    // Lambda's memory is that of the whole process: code, buffers and the engine need their share beside the heap.
    resourceLimits: {
      maxOldGenerationSizeMb: Math.round(deployed.memoryMb / 2),
      maxYoungGenerationSizeMb: 8,
    },
    workerData: start,
  });
  // Whoever waits for an answer hears that the thread has ended.
  thread.on('error', (error) => void writeSync(log, `${error instanceof Error ? error.stack : error}\n`));
  return thread;
}

/**
 * The environment of a function's thread: that of this process without what a function would not have in AWS, then the
 * template's, then what Lambda sets. So an `AWS_PROFILE` of the user never connects a function to a real account.
 */
function buildFunctionEnvironment(
  deployed: DeployedFunction,
  { environment, endpoints }: FunctionRuntime,
): NodeJS.ProcessEnv {
  const { accessKeyId, secretAccessKey } = toCredentials(endpoints);
  const inherited = Object.entries(environment).filter(
    ([name]) => !isAwsSetting(name) && name !== TOKEN_VARIABLE && name !== 'NODE_OPTIONS',
  );
  return {
    ...Object.fromEntries(inherited),
    ...deployed.environment,
    ...buildLambdaVariables(deployed),
    ...NO_PROFILES,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamoDb,
    AWS_ENDPOINT_URL_SNS: endpoints.messaging,
    AWS_ENDPOINT_URL_SQS: endpoints.messaging,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    AWS_ENDPOINT_URL_SSM: endpoints.secretsManager,
  };
}

function buildLambdaVariables({
  name,
  handler,
  codeFolder,
  memoryMb,
}: DeployedFunction): Record<string, string> {
  return {
    AWS_REGION: LOCAL_REGION,
    AWS_DEFAULT_REGION: LOCAL_REGION,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    LAMBDA_TASK_ROOT: codeFolder,
    _HANDLER: handler,
  };
}

async function run(thread: Worker, deployed: DeployedFunction, invocation: Invocation) {
  const { timeoutMs, requestId } = invocation;
  const outcome = await new Promise<InvocationOutcome>((resolve, reject) => {
    const fail = (code: string, what: string) => {
      cleanUp();
      reject(toFunctionError(deployed, code, what));
    };
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      void thread.terminate();
    }, timeoutMs);
    const onExit = (code: number) => {
      if (timedOut) fail('function_timed_out', `gave no answer within ${timeoutMs / 1_000} s`);
      else fail('function_crashed', `ended with exit code ${code} before it answered`);
    };
    const onMessage = (message: InvocationOutcome) => {
      if (message.requestId !== requestId) return;
      cleanUp();
      resolve(message);
    };
    const cleanUp = () => {
      clearTimeout(timer);
      thread.off('exit', onExit).off('message', onMessage);
    };
    thread.on('exit', onExit).on('message', onMessage);
    thread.postMessage(invocation);
  });
  if ('result' in outcome) return outcome.result;
  const { type, message } = outcome.error;
  throw toFunctionError(deployed, 'function_failed', `threw ${type}: ${message}`);
}

function toFunctionError({ logicalId }: DeployedFunction, code: string, what: string): NotifierError {
  return new NotifierError(code, `function ${logicalId} ${what}`, { retryable: true });
}
