import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Line } from '#console/routes/lines.ts';
import { STREAM_EVENTS } from '#console/routes/paths.ts';
import type { ConsoleContext } from '../context.ts';
import { readStatus } from '../overview.ts';
import type { Arrival, LogFollower } from './log-follower.ts';

/** Also tells proxies and the browser that the connection is alive. */
const STATUS_EVERY_MS = 3_000;
const MAX_LINES_IN_MESSAGE = 200;

export interface StreamRequest {
  readonly context: ConsoleContext;
  readonly follower: LogFollower;
  /** Where the page stopped; null for what comes from now on. */
  readonly after: string | null;
  readonly isWanted: (line: Line) => boolean;
}

/** Server-sent events: new lines in the order in which they were seen, and the status in between. */
export function streamLines(hono: Context, request: StreamRequest): Response {
  return streamSSE(hono, async (stream) => {
    const { follower } = request;
    const wake = createWaker();
    const forget = follower.listen(wake.wake);
    stream.onAbort(() => {
      forget();
      wake.wake();
    });
    try {
      await writeUntilAborted(stream, request, wake);
    } finally {
      forget();
    }
  });
}

async function writeUntilAborted(
  stream: SSEStreamingApi,
  { context, follower, after, isWanted }: StreamRequest,
  wake: Waker,
): Promise<void> {
  let position = after ?? (await follower.touch());
  let statusDueAt = 0;
  while (!stream.aborted && !stream.closed) {
    const arrivals = follower.since(position);
    if (arrivals === null) {
      position = await follower.touch();
      await stream.writeSSE({ event: STREAM_EVENTS.behind, data: '', id: position });
      continue;
    }
    for (const part of splitArrivals(arrivals)) {
      position = follower.format(part.at(-1)?.position ?? 0);
      const lines = part.map(({ line }) => line).filter(isWanted);
      if (lines.length === 0) continue;
      await stream.writeSSE({ event: STREAM_EVENTS.lines, data: JSON.stringify(lines), id: position });
    }
    if (performance.now() >= statusDueAt) {
      statusDueAt = performance.now() + STATUS_EVERY_MS;
      const status = await readStatus(context, follower.trouble());
      await stream.writeSSE({ event: STREAM_EVENTS.status, data: JSON.stringify(status), id: position });
    }
    await wake.wait(STATUS_EVERY_MS);
  }
}

function splitArrivals(arrivals: readonly Arrival[]): Arrival[][] {
  return Array.from({ length: Math.ceil(arrivals.length / MAX_LINES_IN_MESSAGE) }, (_, index) =>
    arrivals.slice(index * MAX_LINES_IN_MESSAGE, (index + 1) * MAX_LINES_IN_MESSAGE),
  );
}

interface Waker {
  wake(): void;
  /** Settles when it is woken, or was since the last wait, and after the time at the latest. */
  wait(milliseconds: number): Promise<void>;
}

function createWaker(): Waker {
  let isAwake = false;
  let resolveWait: (() => void) | null = null;
  return {
    wake: () => {
      isAwake = true;
      resolveWait?.();
    },
    wait: async (milliseconds) => {
      if (!isAwake) {
        const { promise, resolve } = Promise.withResolvers<void>();
        resolveWait = resolve;
        const timer = setTimeout(resolve, milliseconds);
        await promise;
        clearTimeout(timer);
      }
      resolveWait = null;
      isAwake = false;
    },
  };
}
