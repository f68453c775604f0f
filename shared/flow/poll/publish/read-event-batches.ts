import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';

/** Items of the event log read together at first; doubles while batches go out. */
export const FIRST_READ_ITEMS = 10;
/** As many as one request to the table may ask for. */
const MAX_READ_ITEMS = 100;
/** Characters of one reading beyond which the next one is smaller: what is on its way stays a few MB. */
const LARGE_READ_CHARACTERS = 4_000_000;

type BatchReader = Pick<SnapshotStore, 'readEvents' | 'readEventBatches'>;

/**
 * The texts of several batches by pointer; null for one of which a part is no longer in the event log. Throws what
 * the store throws for any other reason.
 */
export async function readBatches(
  store: BatchReader,
  feed: FeedKey,
  pointers: readonly string[],
): Promise<ReadonlyMap<string, readonly string[] | null>> {
  if (pointers.length === 0) return new Map();
  if (store.readEventBatches !== undefined) return await store.readEventBatches(feed, pointers);
  const read = new Map<string, readonly string[] | null>();
  for (const pointer of pointers) {
    read.set(pointer, await store.readEvents(feed, pointer).catch(nullWhenMissing));
  }
  return read;
}

/** Items to read next, after so many that held these texts. */
export function computeNextReadItems(items: number, texts: readonly string[]): number {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  return characters > LARGE_READ_CHARACTERS ? Math.ceil(items / 2) : Math.min(MAX_READ_ITEMS, items * 2);
}

function nullWhenMissing(cause: unknown): null {
  if (cause instanceof NotifierError && cause.code === 'events_missing') return null;
  throw cause;
}
