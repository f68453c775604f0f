/**
 * The process of one function: imports its bundled handler and runs it for every invocation that the host sends. Ends
 * when the host kills it or dies.
 */
import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Invocation, InvocationOutcome } from './function-messages.ts';

type Handler = (event: unknown, context: unknown) => unknown;

const EXTENSIONS = ['.mjs', '.js', '.cjs'];

// Ctrl-C reaches every process of the terminal; only the host acts on it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));

const handler = loadHandler(process.env.LAMBDA_TASK_ROOT ?? '', process.env._HANDLER ?? '');
// What is compiled would be kept when the process ends, but the host kills it. The first invocation reports a handler
// that cannot be loaded.
handler.then(
  () => flushCompileCache(),
  () => {},
);

process.on('message', (invocation: Invocation) => {
  void run(invocation).then((outcome) => process.send?.(outcome));
});

async function loadHandler(folder: string, name: string): Promise<Handler> {
  const dot = name.lastIndexOf('.');
  const base = join(folder, name.slice(0, dot));
  const file = EXTENSIONS.map((extension) => `${base}${extension}`).find(existsSync);
  if (file === undefined) throw new Error(`no file for the handler ${name} in ${folder}`);
  const loaded = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const found =
    loaded[name.slice(dot + 1)] ?? (loaded.default as Record<string, unknown>)?.[name.slice(dot + 1)];
  if (typeof found !== 'function') throw new Error(`${file} exports no handler ${name.slice(dot + 1)}`);
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

function buildContext({ requestId, timeoutMs, clock }: Invocation): Record<string, unknown> {
  // `Date` may be scaled, and code compares the remaining time with it.
  const speed = clock === null || clock.scalesPauses === true ? 1 : clock.speed;
  const deadline = Date.now() + timeoutMs * speed;
  const name = process.env.AWS_LAMBDA_FUNCTION_NAME;
  return {
    awsRequestId: requestId,
    functionName: name,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    invokedFunctionArn: process.env.LOCAL_FUNCTION_ARN,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.min(Math.max(0, deadline - Date.now()), MAX_TIMER_MS),
  };
}
