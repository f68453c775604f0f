import { Worker } from 'node:worker_threads';
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { BatchResult, Clock, QueueMessage } from '#shared/flow/system.ts';

/** Time that the functions of queues reserve for the response and the last log line. */
const QUEUE_MARGIN_MS = 2_000;

export type Handler<Result> = (event: unknown, context: Context) => Promise<Result>;

/** What Lambda calls: put together of the environment at the first call, and watched over from then on. */
export function entry<Result>(create: (variables: NodeJS.ProcessEnv) => Handler<Result>): Handler<Result> {
  let handle: Handler<Result> | undefined;
  return async (event, context) => {
    handle ??= watched(create(process.env));
    return await handle(event, context);
  };
}

/**
 * The logger of outcome lines. They are written at every level: alarms count them, and the queries
 * of the runbook read them.
 */
export function createLogger(): Logger {
  return new Logger({ logLevel: 'INFO' });
}

interface Composition<Input> {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Time reserved for what follows the deadline: a step under way, the response and the last log line. */
  readonly marginMs?: number;
  /** Checks the event of an invocation, which fails with what this throws. */
  readonly readInput: (event: unknown) => Input;
}

/** What a function does with one input, until its deadline (ms since 1970). */
type Work<Input, Result> = (input: Input, deadline: number) => Promise<Result>;

/** What all functions share: the log names the request, the input is checked, and the work knows its deadline. */
export function compose<Input, Result>(
  { logger, clock, marginMs = 0, readInput }: Composition<Input>,
  work: Work<Input, Result>,
): Handler<Result> {
  const checkInput = {
    before: (request: { event: Input }) => {
      request.event = readInput(request.event);
    },
  };
  const composed = middy<Input, Result, Error, Context>()
    .use(injectLambdaContext(logger))
    .use(checkInput)
    .handler((input, context) => work(input, clock.now() + context.getRemainingTimeInMillis() - marginMs));
  return (event, context) => composed(event as Input, context);
}

/** The same for the messages of a queue, of which SQS delivers those again that failed. */
export function composeForQueue(
  parts: Pick<Composition<never>, 'logger' | 'clock'>,
  work: Work<QueueMessage[], BatchResult>,
): Handler<SQSBatchResponse> {
  const composition = { ...parts, marginMs: QUEUE_MARGIN_MS, readInput: toQueueMessages };
  return compose(composition, async (messages, deadline) => {
    const { failed } = await work(messages, deadline);
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  });
}

/** The messages of a batch. Binary attributes are left out. */
function toQueueMessages(event: unknown): QueueMessage[] {
  return (event as SQSEvent).Records.map(({ messageId, body, messageAttributes }) => ({
    id: messageId,
    body,
    attributes: Object.fromEntries(
      Object.entries(messageAttributes).flatMap(([name, { stringValue }]) =>
        stringValue === undefined ? [] : [[name, stringValue]],
      ),
    ),
  }));
}

/**
 * A function whose event loop makes no turn for this long hangs: no timeout of its own can fire. A poll ends well before
 * the next one starts, so that polls that hang never add up.
 */
export const HUNG_AFTER_MS = 20_000;
const MAX_LINE_BYTES = 4_096;

/**
 * Ends the process from another thread when the count of turns stands still while work is on; 0 means that there is
 * none. It waits in turns of the lock alone, so that a function that was frozen between two invocations is not taken for hung.
 */
const WATCH = `
const { workerData: { turns, line, hungAfterMs } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
for (;;) {
  const seen = Atomics.load(turns, 0);
  if (Atomics.wait(turns, 0, seen, seen === 0 ? Infinity : hungAfterMs) !== 'timed-out') continue;
  try { writeSync(1, Buffer.from(line).subarray(0, line.indexOf(0))); } finally { process.kill(process.pid, 'SIGKILL'); }
}`;

/** Begins to watch over work, which the line describes in the log if it hangs. Returns what ends the watch. */
export type Watchdog = (line: object) => () => void;

/** Starts the thread; the process may end without it. One work at a time, as a function does. */
export function startWatchdog(hungAfterMs = HUNG_AFTER_MS): Watchdog {
  const turns = new Int32Array(new SharedArrayBuffer(4));
  const line = new Uint8Array(new SharedArrayBuffer(MAX_LINE_BYTES));
  new Worker(WATCH, { eval: true, execArgv: [], workerData: { turns, line, hungAfterMs } }).unref();
  const setTurns = (count: number) => {
    Atomics.store(turns, 0, count);
    Atomics.notify(turns, 0);
  };
  return (about) => {
    line.fill(0);
    Buffer.from(line.buffer).write(`${JSON.stringify(about)}\n`, 0, MAX_LINE_BYTES - 1);
    let count = 1;
    setTurns(count);
    const timer = setInterval(() => {
      count += 1;
      setTurns(count);
    }, hungAfterMs / 10);
    return () => {
      clearInterval(timer);
      setTurns(0);
    };
  };
}

/** The handler of a function, ended from outside with a line of its log if it hangs: every function has it. */
export function watched<Event, Result>(
  handle: (event: Event, context: Context) => Promise<Result>,
  watch: Watchdog = startWatchdog(),
): (event: Event, context: Context) => Promise<Result> {
  return async (event, context) => {
    const end = watch({
      level: 'ERROR',
      message: 'function.hung',
      service: process.env.POWERTOOLS_SERVICE_NAME,
      function_request_id: context.awsRequestId,
      ...findConnection(event),
      reason: 'event_loop_blocked',
    });
    try {
      return await handle(event, context);
    } finally {
      end();
    }
  };
}

/** The connection of a request to poll; other requests and messages of queues are not read here. */
function findConnection(event: unknown): { readonly connection?: string } {
  const { connection } = (event ?? {}) as { readonly connection?: { readonly name?: unknown } };
  return typeof connection?.name === 'string' ? { connection: connection.name } : {};
}
