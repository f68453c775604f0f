import * as z from 'zod';
import type { EventBatch, LookReceipt } from '#shared/core/commit/commit-step.ts';
import { listDates, toIso } from '#shared/core/dates.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
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

interface Chunk extends Pick<LoggedBatch, 'texts' | 'receipt'> {
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
  const { receipt } = inOrder[0] ?? {};
  return {
    pointer: `${key}/${chunks.length}`,
    committedAt: Date.parse(key.slice(0, INSTANT_LENGTH)),
    ...(receipt === undefined ? {} : { receipt }),
    texts: inOrder.flatMap(({ texts }) => texts),
  };
}

/** Between texts: JSON on one line has none of its own. */
const SEPARATOR = '\n';

const eventItemSchema = z.object({
  [ATTRIBUTE.body]: bytesSchema,
  [ATTRIBUTE.receipt]: z.string().optional(),
});

/** Id of the poll, requests, pages, pace. One that cannot be read is none: the events are what counts. */
const receiptSchema = z.tuple([z.string(), z.number(), z.number(), z.number().nullable()]).rest(z.unknown());

function toReceiptText({ receipt }: EventBatch): string | undefined {
  if (receipt === undefined) return undefined;
  const { run, requests, pages, pace } = receipt;
  return JSON.stringify([run, requests, pages, pace === null ? null : Math.round(pace * 10) / 10]);
}

function readReceipt(text: string | undefined): LookReceipt | undefined {
  const { data } = receiptSchema.safeParse(parseJsonOrNull(text ?? ''));
  if (data === undefined) return undefined;
  const [run, requests, pages, pace] = data;
  return { run, requests, pages, pace };
}

/** One item per chunk of a batch; `expiresAt` in milliseconds since 1970. */
export function toEventItems(feed: FeedKey, batch: EventBatch, expiresAt: number): Item[] {
  const keys = toEventKeys(feed, batch.key, batch.chunks.length);
  return keys.map((key, chunk) => {
    const body = compressed((batch.chunks[chunk] ?? []).join(SEPARATOR));
    const receipt = chunk === 0 ? toReceiptText(batch) : undefined;
    return toItem(key, { [ATTRIBUTE.body]: body, [ATTRIBUTE.receipt]: receipt }, expiresAt);
  });
}

export function readEventItem(item: Item): readonly string[] {
  return readChunk(item).texts;
}

function readChunk(item: Item): Omit<Chunk, 'chunk'> {
  const values = readItem(eventItemSchema, item);
  const receipt = readReceipt(values[ATTRIBUTE.receipt]);
  return {
    texts: decompressed(values[ATTRIBUTE.body]).split(SEPARATOR),
    ...(receipt === undefined ? {} : { receipt }),
  };
}
