import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NotifierError } from '#shared/core/errors.ts';
import type { DeployedFunction } from '../template/deployment.ts';
import { buildFunctionEnvironment, type FunctionRuntime } from './function-environment.ts';
import type { Invocation, InvocationOutcome } from './function-messages.ts';

const PROCESS_MODULE = fileURLToPath(new URL('./function-process.ts', import.meta.url));
const CLOCK_MODULE = new URL('./scaled-clock.ts', import.meta.url).href;
/** Of real time, after which the process of a function that nobody invokes ends, as in Lambda. Polls come more often. */
export const IDLE_MS = 120_000;

export interface HostOptions extends FunctionRuntime {
  /** File descriptor for the function's stdout and stderr. */
  readonly log: number;
}

/** Runs one function of the template in its own process. */
export interface FunctionHost {
  readonly name: string;
  /** Starts the process ahead of the first invocation. */
  warm(): void;
  /**
   * Returns the result of the handler. One invocation at a time; others wait. Throws a `NotifierError` with the code
   * `function_failed`, `function_timed_out` or `function_crashed`; if the process is gone, the next invocation starts
   * another.
   */
  invoke(event: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** The process starts with `warm` or the first invocation. */
export function createFunctionHost(deployed: DeployedFunction, options: HostOptions): FunctionHost {
  let child: ChildProcess | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let idling: NodeJS.Timeout | undefined;

  const ensureRunning = (): ChildProcess => {
    if (child?.connected === true) return child;
    const started = startProcess(deployed, options);
    child = started;
    started.once('exit', () => {
      if (child === started) child = null;
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
    child?.kill('SIGKILL');
    child = null;
  };
  return {
    name: deployed.name,
    warm: () => void ensureRunning(),
    invoke: (event) => {
      const result = last.then(() => invokeNow(event));
      last = result.catch(() => {});
      return result;
    },
    stop: async () => {
      stopped = true;
      clearTimeout(idling);
      if (child !== null) await end(child);
    },
  };
}

function startProcess(deployed: DeployedFunction, options: HostOptions): ChildProcess {
  const clock = options.clock === null ? [] : ['--import', CLOCK_MODULE];
  return fork(PROCESS_MODULE, [], {
    execArgv: [...toHeapOptions(deployed.memoryMb), ...clock],
    env: buildFunctionEnvironment(deployed, options),
    // Not this process's stdout: it carries delivered events only.
    stdio: ['ignore', options.log, options.log, 'ipc'],
  });
}

/** Lambda's memory is that of the whole process: code, buffers and the engine need their share beside the heap. */
function toHeapOptions(memoryMb: number): string[] {
  return [`--max-old-space-size=${Math.round(memoryMb / 2)}`, '--max-semi-space-size=2'];
}

async function run(child: ChildProcess, deployed: DeployedFunction, invocation: Invocation) {
  const outcome = await new Promise<InvocationOutcome>((resolve, reject) => {
    const fail = (code: string, what: string) => {
      cleanUp();
      reject(toFunctionError(deployed, code, what));
    };
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, invocation.timeoutMs);
    const onExit = (code: number | null, signal: string | null) => {
      if (timedOut) fail('function_timed_out', `gave no answer within ${invocation.timeoutMs / 1_000} s`);
      else fail('function_crashed', `ended with ${signal ?? `exit code ${code}`} before it answered`);
    };
    const onMessage = (message: InvocationOutcome) => {
      if (message.requestId !== invocation.requestId) return;
      cleanUp();
      resolve(message);
    };
    const cleanUp = () => {
      clearTimeout(timer);
      child.off('exit', onExit).off('message', onMessage);
    };
    child.on('exit', onExit).on('message', onMessage);
    child.send(invocation, (error) => {
      if (error !== null) fail('function_crashed', `could not be reached (${error.message})`);
    });
  });
  if ('result' in outcome) return outcome.result;
  const { type, message } = outcome.error;
  throw toFunctionError(deployed, 'function_failed', `threw ${type}: ${message}`);
}

function toFunctionError({ logicalId }: DeployedFunction, code: string, what: string): NotifierError {
  return new NotifierError(code, `function ${logicalId} ${what}`, { retryable: true });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
