import { NotifierError } from '../core/errors.ts';
import type { FeedKey } from '../core/feeds.ts';
import type { SnapshotStore } from '../ports.ts';

export type BatchReader = Pick<SnapshotStore, 'readEvents' | 'readEventBatches'>;

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
  const texts = pointers.map((pointer) => store.readEvents(feed, pointer).catch(nullWhenMissing));
  const read = await Promise.all(texts);
  return new Map(pointers.map((pointer, index) => [pointer, read[index] ?? null]));
}

function nullWhenMissing(cause: unknown): null {
  if (cause instanceof NotifierError && cause.code === 'events_missing') return null;
  throw cause;
}
