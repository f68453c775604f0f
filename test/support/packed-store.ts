import type { AttributeValue, Update } from '@aws-sdk/client-dynamodb';
import { readEventItem, toEventItems } from '#shared/adapters/dynamo/snapshot/event-log.ts';
import { buildHeadUpdate, readHeadItems, toPageItems } from '#shared/adapters/dynamo/snapshot/head-items.ts';
import { readLeafItem, toLeafItem } from '#shared/adapters/dynamo/snapshot/leaf-items.ts';
import { buildStateUpdate, readStateItem } from '#shared/adapters/dynamo/snapshot/state-items.ts';
import { type EventBatch, type HeadWrite, toBatchPointer } from '#shared/core/commit/commit-step.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { Leaf } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';

/** Limits of DynamoDB. */
const MAX_ITEM_BYTES = 400 * 1024;
const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;
const MAX_TRANSACTION_ITEMS = 100;
/** Most bytes of a number. */
const NUMBER_BYTES = 21;

type Item = Record<string, AttributeValue>;

/** An item or a transaction beyond a limit of DynamoDB: a mistake of the engine, not a fault of the store. */
class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/**
 * Packs everything into the items of the real store, throws where DynamoDB would refuse their size, and stores what can
 * be read back from those items.
 */
export function packedStore(store: SnapshotStore): SnapshotStore {
  return {
    ...store,
    saveFeedState: async (write) => {
      const update = itemOf(
        buildStateUpdate(write, write.events === null ? null : toBatchPointer(write.events)),
      );
      const events = write.events === null ? null : packEvents(write.feed, write.events);
      checkTransaction([update, ...(events?.items ?? [])], `the state of ${write.feed.feed}`);
      const { state } = readStateItem(update);
      return await store.saveFeedState({ ...write, state, events: events?.batch ?? null });
    },
    writeGeneration: async (feed, leaves) =>
      await store.writeGeneration(feed, packLeaves(feed, leaves).leaves),
    commit: async (step) => {
      const heads = step.heads.map((write) => packHead(step.feed, write));
      const leaves = packLeaves(step.feed, step.leaves);
      const events = step.events === null ? null : packEvents(step.feed, step.events);
      const items = [...heads.flatMap((head) => head.items), ...leaves.items, ...(events?.items ?? [])];
      checkTransaction(items, `a commit of ${step.heads.map(({ head }) => head.slice).join(', ')}`);
      return await store.commit({
        ...step,
        heads: heads.map(({ write }) => write),
        leaves: leaves.leaves,
        events: events?.batch ?? null,
      });
    },
  };
}

function packLeaves(feed: FeedKey, leaves: readonly Leaf[]): { leaves: Leaf[]; items: Item[] } {
  const items = leaves.map((leaf) => toLeafItem(feed, leaf));
  for (const [index, item] of items.entries()) checkItem(item, `leaf ${leaves[index]?.slice}`);
  return { items, leaves: items.map((item, index) => readLeafItem(item, leaves[index] as Leaf)) };
}

function packHead(feed: FeedKey, write: HeadWrite): { write: HeadWrite; items: Item[] } {
  const item = itemOf(buildHeadUpdate(feed, write, null));
  const all = toPageItems(feed, { ...write, changedLeaves: null });
  const read = readHeadItems([item, ...all]).heads[0];
  if (read === undefined) throw new TooLarge(`the head of ${write.head.slice} does not come back`);
  const { outbox } = write.head;
  return { write: { ...write, head: { ...read, outbox } }, items: [item, ...toPageItems(feed, write)] };
}

function packEvents(feed: FeedKey, batch: EventBatch): { batch: EventBatch; items: Item[] } {
  const items = toEventItems(feed, batch, 0);
  return { batch: { ...batch, chunks: items.map(readEventItem) }, items };
}

/** The item after an update of all its attributes. */
function itemOf({ Key, ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: UpdateParts): Item {
  const item: Item = { ...Key };
  for (const [alias, name] of Object.entries(ExpressionAttributeNames)) {
    const value = ExpressionAttributeValues[alias === '#outbox' ? ':pointers' : alias.replace('#', ':')];
    if (value !== undefined) item[name] = value;
  }
  return item;
}

type UpdateParts = Pick<Update, 'Key' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;

function checkTransaction(items: readonly Item[], what: string): void {
  for (const item of items) checkItem(item, what);
  const bytes = items.reduce((sum, item) => sum + sizeOf(item), 0);
  if (items.length > MAX_TRANSACTION_ITEMS) throw new TooLarge(`${what} takes ${items.length} items`);
  if (bytes > MAX_TRANSACTION_BYTES) throw new TooLarge(`${what} takes ${bytes} bytes`);
}

function checkItem(item: Item, what: string): void {
  const bytes = sizeOf(item);
  if (bytes > MAX_ITEM_BYTES) throw new TooLarge(`an item of ${what} takes ${bytes} bytes`);
}

function sizeOf(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + name.length + sizeOfValue(value), 0);
}

function sizeOfValue(value: AttributeValue): number {
  if (value.B !== undefined) return value.B.length;
  if (value.N !== undefined) return NUMBER_BYTES;
  return [value.S ?? '', ...(value.SS ?? [])].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
