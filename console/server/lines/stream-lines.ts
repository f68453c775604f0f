import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Line } from '#console/routes/lines.ts';
import { MAX_LISTED, STREAM_EVENTS } from '#console/routes/paths.ts';
import type { ConsoleContext } from '../context.ts';
import { readStatus } from '../overview.ts';
import type { LogFollower } from './log-follower.ts';

/** Also tells the browser that the connection is alive. */
const STATUS_EVERY_MS = 3_000;
const PAUSE_MS = 100;

export interface StreamRequest {
  readonly context: ConsoleContext;
  readonly follower: LogFollower;
  readonly isWanted: (line: Line) => boolean;
}

/** Server-sent events: new lines in the order in which they were seen, and the status in between. */
export function streamLines(hono: Context, { context, follower, isWanted }: StreamRequest): Response {
  return streamSSE(hono, async (stream) => {
    let waiting: readonly Line[] = [];
    const forget = follower.listen((lines) => {
      waiting = [...waiting, ...lines.filter(isWanted)].slice(-MAX_LISTED);
    });
    let statusDueAt = 0;
    try {
      while (!stream.aborted && !stream.closed) {
        const lines = waiting;
        waiting = [];
        if (lines.length > 0)
          await stream.writeSSE({ event: STREAM_EVENTS.lines, data: JSON.stringify(lines) });
        if (performance.now() >= statusDueAt) {
          statusDueAt = performance.now() + STATUS_EVERY_MS;
          const status = await readStatus(context, follower.trouble());
          await stream.writeSSE({ event: STREAM_EVENTS.status, data: JSON.stringify(status) });
        }
        await stream.sleep(PAUSE_MS);
      }
    } finally {
      forget();
    }
  });
}
