import type { FeedName } from '#shared/core/feeds.ts';
import { feedDefinition, parseRow, toState } from '#shared/core/records/feed-definition.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { Store } from '#shared/flow/poll/ports.ts';

/** A record as the notifier has stored it. */
export interface KnownRecord {
  readonly feed: FeedName;
  readonly slice: string;
  readonly id: string;
  readonly row: StoredRow;
  /** Its watched values; null for one that was never readable. */
  readonly state: Readonly<Record<string, unknown>> | null;
}

/** Every row of a connection. A record has one row: who has several is in `doubled`, with their slices. */
export async function readRows(
  store: Pick<Store, 'loadHeads' | 'readBuckets'>,
  connection: string,
): Promise<{
  readonly rows: ReadonlyMap<string, KnownRecord>;
  readonly doubled: ReadonlyMap<string, readonly string[]>;
}> {
  const rows = new Map<string, KnownRecord>();
  const doubled = new Map<string, string[]>();
  for (const { feed, slice, buckets } of await store.loadHeads(connection)) {
    const keys = buckets.filter(({ count }) => count > 0).map(({ from }) => ({ feed, slice, from }));
    for (const row of (await store.readBuckets(connection, keys)).flat()) {
      const key = `${feed}/${row.id}`;
      const before = rows.get(key);
      if (before !== undefined) doubled.set(key, [...(doubled.get(key) ?? [before.slice]), slice]);
      const state = row.text === null ? null : toState(feedDefinition(feed), parseRow(row.text));
      rows.set(key, { feed, slice, id: row.id, row, state });
    }
  }
  return { rows, doubled };
}
