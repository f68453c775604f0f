import { addDays, toIso } from '#shared/core/dates.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { EventLog, LoggedBatch } from '#shared/ports/event-log.ts';
import type { Item } from '../attributes.ts';
import { readSortKey } from '../items.ts';
import { DATE_LENGTH, parseEventSort, toEventsPartition } from '../keys.ts';
import { queryPages } from '../queries.ts';
import { Table, type TableOptions } from '../table.ts';
import { readEventItem } from './event-items.ts';

const INSTANT_LENGTH = 'YYYY-MM-DDTHH:MM:SS.sssZ'.length;

/** The event log in the one table, until its items expire. Throws as `createDynamoSnapshotStore` does. */
export function createEventLog(options: TableOptions): EventLog {
  const table = new Table(options);
  return { read: (feed, between) => read(table, feed, between) };
}

async function* read(
  table: Table,
  feed: FeedKey,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<LoggedBatch, void> {
  const [first, last] = [toIso(from), toIso(to)];
  for (let date = first.slice(0, DATE_LENGTH); date <= last.slice(0, DATE_LENGTH); date = addDays(date, 1)) {
    const partition = toEventsPartition(feed, date);
    // The key of a batch begins with the instant of its commit, so it sorts by time.
    for await (const batch of groupIntoBatches(
      queryPages(table, { operation: 'readLog', partition, from: first }),
    )) {
      if (batch.committedAt >= to) return;
      yield batch;
    }
  }
}

interface Chunk {
  readonly chunk: number;
  readonly texts: readonly string[];
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
      chunks.push({ chunk, texts: readEventItem(item) });
    }
  }
  if (key !== null) yield toBatch(key, chunks);
}

function toBatch(key: string, chunks: readonly Chunk[]): LoggedBatch {
  const inOrder = [...chunks].sort((a, b) => a.chunk - b.chunk);
  return {
    pointer: `${key}/${chunks.length}`,
    committedAt: Date.parse(key.slice(0, INSTANT_LENGTH)),
    texts: inOrder.flatMap(({ texts }) => texts),
  };
}
