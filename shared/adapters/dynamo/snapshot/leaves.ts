import type { FeedKey } from '#shared/core/feeds.ts';
import { createLeaf, type Leaf, type LeafRef } from '#shared/core/snapshot/snapshot.ts';
import { readItems, toMapKey, writeBatches } from '../batches.ts';
import { toKeyAttributes, toLeafItemKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { readLeafItem, toLeafItem } from './leaf-items.ts';

/** Reads leaves in the order of the references; one that was never written is empty. */
export async function readLeaves(table: Table, feed: FeedKey, refs: readonly LeafRef[]): Promise<Leaf[]> {
  const keyed = refs.map((ref) => ({ ref, key: toLeafItemKey(feed, ref) }));
  const items = await readItems(
    table,
    'readLeaves',
    keyed.map(({ key }) => key),
  );
  return keyed.map(({ ref, key }) => {
    const item = items.get(toMapKey(key));
    const { slice, generation, index } = ref;
    return item === undefined ? createLeaf({ slice, generation, index }) : readLeafItem(item, ref);
  });
}

export async function writeGeneration(table: Table, feed: FeedKey, leaves: readonly Leaf[]): Promise<void> {
  const requests = leaves.map((leaf) => ({ PutRequest: { Item: toLeafItem(feed, leaf) } }));
  await writeBatches(table, 'writeGeneration', requests);
}

export async function deleteLeaves(table: Table, feed: FeedKey, refs: readonly LeafRef[]): Promise<void> {
  const requests = refs.map((ref) => ({ DeleteRequest: { Key: toKeyAttributes(toLeafItemKey(feed, ref)) } }));
  await writeBatches(table, 'deleteLeaves', requests);
}
