import { open } from 'node:fs/promises';
import * as z from 'zod';
import type { Receipt } from '#console/routes/record.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';

/** Of the log: enough for some hundred polls, little enough to be read for each request. */
const MAX_BYTES = 1_000_000;

/** The outcomes of the latest polls. */
export interface PollLog {
  /** Oldest first. Empty when there is none. */
  read(): Promise<readonly PollOutcome[]>;
}

export interface PollOutcome extends Receipt {
  readonly connection: string;
}

const lineSchema = z.looseObject({
  outcome: z.literal('poll.completed'),
  timestamp: z.string(),
  connection: z.string(),
  feed: z.string(),
  result: z.string(),
  slices: z.number().default(0),
  records: z.number().default(0),
  changes: z.number().default(0),
  requests: z.number().default(0),
  throttled: z.number().default(0),
  duration_ms: z.number().default(0),
  lag_ms: z.number().optional(),
});

/** Reads the end of the file in which the functions of a data folder log. */
export function openPollLog(file: string): PollLog {
  return {
    read: async () => (await readEnd(file)).split('\n').flatMap((line) => readOutcome(line) ?? []),
  };
}

/** The outcome in a line of the log; null for any other line. */
export function readOutcome(text: string): PollOutcome | null {
  if (!text.includes('"poll.completed"')) return null;
  const { data } = lineSchema.safeParse(parseJsonOrNull(text));
  if (data === undefined) return null;
  const { timestamp, duration_ms, lag_ms, connection, feed, result, slices, records } = data;
  const { changes, requests, throttled } = data;
  return {
    at: timestamp,
    durationMs: duration_ms,
    lagMs: lag_ms ?? null,
    ...{ connection, feed, result, slices, records, changes, requests, throttled },
  };
}

async function readEnd(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return '';
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, MAX_BYTES);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8');
  } finally {
    await handle.close();
  }
}

/** The poll that saw a change of a feed: the first that ended at that moment or later. */
export function findReceipt(outcomes: readonly PollOutcome[], seen: SeenChange): Receipt | null {
  const own = outcomes.filter(({ connection, feed }) => connection === seen.connection && feed === seen.feed);
  const place = own.findIndex(({ at }) => Date.parse(at) >= seen.by);
  const found = own[place];
  // What was before the log at hand is not known.
  if (found === undefined || (place === 0 && Date.parse(found.at) - found.durationMs > seen.by)) return null;
  const { connection: _, ...receipt } = found;
  return receipt;
}

interface SeenChange {
  readonly connection: string;
  readonly feed: string;
  /** Milliseconds since 1970. */
  readonly by: number;
}
