import type { FeedKey } from '../core/feeds.ts';
import type { OutboxEntry } from '../core/outbox.ts';
import type { SliceHead } from '../core/snapshot.ts';
import type { EventPublisher, SnapshotStore } from '../ports.ts';

export interface PublishPorts {
  readonly store: SnapshotStore;
  readonly publisher: EventPublisher;
}

/** A committed batch of events and where its pointer stands. */
export interface OutboxBatch {
  readonly entries: readonly OutboxEntry[];
  readonly texts: () => Promise<readonly string[]>;
}

export interface PublishOutcome {
  readonly published: number;
  /** Events that stay in the outbox for the next poll. */
  readonly waiting: number;
  /** Pointers that were taken out of their outboxes. */
  readonly cleared: readonly OutboxEntry[];
}

/** Publishes what earlier polls committed and did not publish, oldest commit first (rule 3). */
export async function publishOutbox(
  entries: readonly OutboxEntry[],
  feed: FeedKey,
  ports: PublishPorts,
): Promise<PublishOutcome> {
  const byPointer = [...Map.groupBy(entries, ({ pointer }) => pointer)];
  const inOrder = byPointer.sort(([a], [b]) => (a < b ? -1 : 1));
  const batches = inOrder.map(([pointer, places]) => ({
    entries: places,
    texts: () => ports.store.readEvents(feed, pointer),
  }));
  return await publishBatches(batches, feed, ports);
}

/**
 * Publishes batches in order and clears every pointer whose events all went out. As soon as a batch does not go
 * out whole, later ones wait: they may tell of the same records.
 */
export async function publishBatches(
  batches: readonly OutboxBatch[],
  feed: FeedKey,
  { store, publisher }: PublishPorts,
): Promise<PublishOutcome> {
  const cleared: OutboxEntry[] = [];
  let published = 0;
  let waiting = 0;
  for (const { entries, texts } of batches) {
    const events = await texts();
    if (waiting > 0) {
      waiting += events.length;
      continue;
    }
    const result = await publisher.publish(events);
    published += result.published;
    waiting += result.unpublished.length;
    if (result.unpublished.length === 0) cleared.push(...entries);
  }
  if (cleared.length > 0) await store.clearOutbox(feed, cleared);
  return { published, waiting, cleared };
}

/** The pointers in the outboxes of heads: one for each slice that a commit changed. */
export function outboxOf(heads: Iterable<SliceHead>): OutboxEntry[] {
  return [...heads].flatMap(({ slice, outbox }) => outbox.map((pointer) => ({ slice, pointer })));
}
