/**
 * The thread of one function: imports its bundled handler and runs it for every invocation that the host sends. Ends
 * when the host ends it.
 */
import { writeSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { installVirtualDate, type VirtualClock } from './virtual-clock.ts';

/** What a thread begins with. */
export interface WorkerStart {
  /** File descriptor for what the function writes. */
  readonly log: number;
  /** `null` for real time. */
  readonly clock: VirtualClock | null;
}

/** Host to thread: run the handler once. */
export interface Invocation {
  readonly requestId: string;
  readonly event: unknown;
  readonly timeoutMs: number;
  /** It may have been moved since the last invocation. */
  readonly clock: VirtualClock | null;
}

/** Thread to host: the result or the error. */
export type InvocationOutcome =
  | { readonly requestId: string; readonly result: unknown }
  | { readonly requestId: string; readonly error: { readonly type: string; readonly message: string } };

type Handler = (event: unknown, context: unknown) => unknown;

const { log, clock: first } = workerData as WorkerStart;
let clock = first;
writeTo(log);
// Before the handler is imported: it may keep what it finds.
if (first !== null) installVirtualDate(() => clock ?? first);
// Of this thread alone, even where the process has one.
if (process.env.NODE_COMPILE_CACHE !== undefined) enableCompileCache(process.env.NODE_COMPILE_CACHE);

const handler = loadHandler(process.env.LAMBDA_TASK_ROOT ?? '', process.env._HANDLER ?? '');
// What is compiled would be kept when the thread ends, but the host ends it. The first invocation reports a handler
// that cannot be loaded.
handler.then(
  () => flushCompileCache(),
  () => {},
);

parentPort?.on('message', (invocation: Invocation) => {
  clock = invocation.clock;
  void run(invocation).then((outcome) => parentPort?.postMessage(outcome));
});

/** At once and by the thread itself, so that nothing is lost when it is ended: threads share descriptors. */
function writeTo(file: number): void {
  const write = (chunk: string | Uint8Array) => {
    writeSync(file, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    return true;
  };
  process.stdout.write = write;
  process.stderr.write = write;
}

async function loadHandler(folder: string, name: string): Promise<Handler> {
  const [file = '', exported = ''] = name.split('.');
  const path = join(folder, `${file}.mjs`);
  const found = ((await import(pathToFileURL(path).href)) as Record<string, unknown>)[exported];
  if (typeof found !== 'function') throw new Error(`${path} exports no handler ${exported}`);
  return found as Handler;
}

async function run(invocation: Invocation): Promise<InvocationOutcome> {
  const { requestId, event } = invocation;
  try {
    const result = await (await handler)(event, buildContext(invocation));
    return { requestId, result: result ?? null };
  } catch (error) {
    console.error(error);
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    return { requestId, error: { type: name, message } };
  }
}

/** A timer of Node that is longer ends at once, and functions set one for the time that remains. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What functions read of it. */
function buildContext({ requestId, timeoutMs }: Invocation): Record<string, unknown> {
  // `Date` may be scaled, and code compares the remaining time with it.
  const deadline = Date.now() + timeoutMs * (clock?.speed ?? 1);
  return {
    awsRequestId: requestId,
    getRemainingTimeInMillis: () => Math.min(Math.max(0, deadline - Date.now()), MAX_TIMER_MS),
  };
}
