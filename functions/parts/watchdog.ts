import { Worker } from 'node:worker_threads';
import type { Context } from 'aws-lambda';

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
