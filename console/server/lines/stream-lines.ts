import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { type Line, MAX_LISTED } from '#console/answers/lines.ts';
import { instantOfLogKey } from '#shared/core/snapshot/log-key.ts';
import type { Opened } from '../opened.ts';
import { listLines } from './list-lines.ts';

/** Also tells the browser that the connection is alive. */
const STATUS_EVERY_MS = 3_000;
const PAUSE_MS = 100;
/** A commit may be written so much later than its key says. */
const OVERLAP_MS = 120_000;

export interface StreamRequest {
  readonly opened: Opened;
  /** Key of the newest line that the page has; null when it has none. */
  readonly after: string | null;
  /** Null for a page without rows, for which the log is not read. */
  readonly isWanted: ((line: Line) => boolean) | null;
  /** HTML of lines, which are in the order of the log. */
  readonly renderLines: (lines: readonly Line[], isGrouped: boolean) => Promise<string>;
  readonly renderStatus: () => Promise<string>;
}

/** Server-sent events: rows of new lines as they are seen, and the status in between. */
export function streamLines(hono: Context, request: StreamRequest): Response {
  const { renderLines, renderStatus } = request;
  return streamSSE(hono, async (stream) => {
    const send = async (event: string, data: string) => await stream.writeSSE({ event, data });
    // Whoever listens before they list miss nothing.
    const listening = listen(request);
    let statusDueAt = 0;
    try {
      const first = await listMissed(request);
      const sent = new Set(first.map(({ key }) => key));
      // Each by itself: the script leaves out what the page has already.
      if (first.length > 0) await send('rows', await renderLines(first, false));
      while (!stream.aborted && !stream.closed) {
        const lines = listening.take().filter(({ key }) => !sent.has(key));
        if (lines.length > 0) await send('rows', await renderLines(lines, true));
        if (performance.now() >= statusDueAt) {
          statusDueAt = performance.now() + STATUS_EVERY_MS;
          await send('status', await renderStatus());
        }
        await stream.sleep(PAUSE_MS);
      }
    } finally {
      listening.end();
    }
  });
}

interface Listening {
  /** What came since it was asked last, in the order of the log. */
  take(): readonly Line[];
  end(): void;
}

function listen({ opened: { follower }, isWanted }: StreamRequest): Listening {
  if (isWanted === null) return { take: () => [], end: () => {} };
  let waiting: readonly Line[] = [];
  const end = follower.listen((lines) => {
    waiting = [...waiting, ...lines.filter(isWanted)].slice(-MAX_LISTED);
  });
  const take = () => {
    const taken = waiting;
    waiting = [];
    return taken;
  };
  return { take, end };
}

/** What was committed since the page was read, in the order of the log. */
async function listMissed({ opened: { context }, after, isWanted }: StreamRequest): Promise<Line[]> {
  if (isWanted === null) return [];
  const last = after === null ? Math.floor(context.target.system.now()) : instantOfLogKey(after);
  const asked = { before: null, from: last - OVERLAP_MS, limit: MAX_LISTED, isWanted };
  // The status says why it cannot be read.
  const { lines } = await listLines(context, asked).catch(() => ({ lines: [] }));
  return lines.toReversed();
}
