import * as z from 'zod';
import type { EventBatch } from '#shared/core/commit/commit-step.ts';
import { listDates, toIso } from '#shared/core/dates.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { EventLog, LoggedBatch } from '#shared/flow/event-log.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { readSortKey, toItem } from '../items.ts';
import { DATE_LENGTH, parseEventSort, toEventKeys, toEventsPartition } from '../keys.ts';
import { queryPages } from '../queries.ts';
import { Table, type TableOptions } from '../table.ts';

const INSTANT_LENGTH = 'YYYY-MM-DDTHH:MM:SS.sssZ'.length;

export interface EventLogOptions extends TableOptions {
  /** Dates that are requested before they are needed; default: none. Somebody who waits for months of them has them sooner. */
  readonly datesAhead?: number;
}

/** The event log in the one table, until its items expire. Throws as `createDynamoSnapshotStore` does. */
export function createEventLog({ datesAhead = 0, ...options }: EventLogOptions): EventLog {
  const table = new Table(options);
  return { read: (feed, between) => read(table, feed, { ...between, datesAhead }) };
}

async function* read(
  table: Table,
  feed: FeedKey,
  { from, to, datesAhead }: { readonly from: number; readonly to: number; readonly datesAhead: number },
): AsyncGenerator<LoggedBatch, void> {
  const [first, last] = [toIso(from), toIso(to)];
  const dates = listDates({ from: first.slice(0, DATE_LENGTH), to: last.slice(0, DATE_LENGTH) });
  const started: StartedDate[] = [];
  for (const place of dates.keys()) {
    for (const date of dates.slice(place + started.length, place + datesAhead + 1))
      started.push(startDate(table, toEventsPartition(feed, date), first));
    const current = started.shift();
    for (let next = await current?.first; next?.done === false; next = await current?.rest.next()) {
      if (next.value.committedAt >= to) return;
      yield next.value;
    }
  }
}

/** A date of which the first batch is requested. */
interface StartedDate {
  readonly first: Promise<IteratorResult<LoggedBatch, void>>;
  readonly rest: AsyncGenerator<LoggedBatch, void>;
}

/** The key of a batch begins with the instant of its commit, so it sorts by time. */
function startDate(table: Table, partition: string, from: string): StartedDate {
  const rest = groupIntoBatches(queryPages(table, { operation: 'readLog', partition, from }));
  const first = rest.next();
  // Whoever reads that date gets the error; perhaps nobody comes that far.
  first.catch(() => {});
  return { first, rest };
}

interface Chunk extends Pick<LoggedBatch, 'texts' | 'look'> {
  readonly chunk: number;
}

/** Joins the chunks of each batch. They are adjacent, but sorted as text: `10` before `2`. */
async function* groupIntoBatches(
  pages: AsyncGenerator<readonly Item[], void>,
): AsyncGenerator<LoggedBatch, void> {
  let key: string | null = null;
  let chunks: Chunk[] = [];
  for await (const page of pages) {
    for (const item of page) {
      const { batchKey, chunk } = parseEventSort(readSortKey(item));
      if (key !== null && key !== batchKey) {
        yield toBatch(key, chunks);
        chunks = [];
      }
      key = batchKey;
      chunks.push({ chunk, ...readChunk(item) });
    }
  }
  if (key !== null) yield toBatch(key, chunks);
}

function toBatch(key: string, chunks: readonly Chunk[]): LoggedBatch {
  const inOrder = [...chunks].sort((a, b) => a.chunk - b.chunk);
  const { look } = inOrder[0] ?? {};
  return {
    pointer: `${key}/${chunks.length}`,
    committedAt: Date.parse(key.slice(0, INSTANT_LENGTH)),
    ...(look === undefined ? {} : { look }),
    texts: inOrder.flatMap(({ texts }) => texts),
  };
}

/** Between texts: JSON on one line has none of its own. */
const SEPARATOR = '\n';

const eventItemSchema = z.object({
  [ATTRIBUTE.body]: bytesSchema,
  [ATTRIBUTE.look]: z.string().optional(),
});

/** One item per chunk of a batch; `expiresAt` in milliseconds since 1970. */
export function toEventItems(feed: FeedKey, batch: EventBatch, expiresAt: number): Item[] {
  const keys = toEventKeys(feed, batch.key, batch.chunks.length);
  return keys.map((key, chunk) => {
    const body = compressed((batch.chunks[chunk] ?? []).join(SEPARATOR));
    const look = chunk === 0 ? batch.look : undefined;
    return toItem(key, { [ATTRIBUTE.body]: body, [ATTRIBUTE.look]: look }, expiresAt);
  });
}

export function readEventItem(item: Item): readonly string[] {
  return readChunk(item).texts;
}

function readChunk(item: Item): Omit<Chunk, 'chunk'> {
  const values = readItem(eventItemSchema, item);
  const look = values[ATTRIBUTE.look];
  return {
    texts: decompressed(values[ATTRIBUTE.body]).split(SEPARATOR),
    ...(look === undefined ? {} : { look }),
  };
}
