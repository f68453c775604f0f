import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { OutboxEntry } from '#shared/core/commit/outbox.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { ATTRIBUTE } from '../attributes.ts';
import { readItems, toMapKey } from '../batches.ts';
import { EXISTS } from '../conditions.ts';
import { type Key, parsePointer, toEventKeys, toHeadKey, toKeyAttributes, toStateKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { readEventItem } from './event-items.ts';

/** Reads the texts of a batch. Throws `NotifierError` `events_missing` when part of it does not exist. */
export async function readEvents(table: Table, feed: FeedKey, pointer: string): Promise<readonly string[]> {
  const texts = (await readEventBatches(table, feed, [pointer])).get(pointer);
  if (texts != null) return texts;
  throw new NotifierError(
    'events_missing',
    `table "${table.name}" holds no events under ${pointer}; they expired, or were deleted by hand`,
  );
}

/** Reads the texts of several batches, by pointer; null for a batch of which a part does not exist. */
export async function readEventBatches(
  table: Table,
  feed: FeedKey,
  pointers: readonly string[],
): Promise<Map<string, readonly string[] | null>> {
  const batches = pointers.map((pointer) => {
    const { batchKey, chunks } = parsePointer(pointer);
    return { pointer, keys: toEventKeys(feed, batchKey, chunks) };
  });
  const items = await readItems(
    table,
    'readEvents',
    batches.flatMap(({ keys }) => keys),
  );
  return new Map(
    batches.map(({ pointer, keys }) => {
      const found = keys.map((key) => items.get(toMapKey(key))).filter((item) => item !== undefined);
      return [pointer, found.length === keys.length ? found.flatMap(readEventItem) : null];
    }),
  );
}

/** Removes pointers from their outboxes, with one write for each outbox. */
export async function clearOutbox(
  table: Table,
  feed: FeedKey,
  entries: readonly OutboxEntry[],
): Promise<void> {
  const pointers = new Map<string | null, string[]>();
  for (const { slice, pointer } of entries) pointers.set(slice, [...(pointers.get(slice) ?? []), pointer]);
  await table.inParts([...pointers], async ([slice, cleared]) => {
    await clearOne(table, slice === null ? toStateKey(feed) : toHeadKey(feed, slice), cleared);
    return null;
  });
}

async function clearOne(table: Table, key: Key, pointers: readonly string[]): Promise<void> {
  // A conflict means that the item does not exist. The update must not create it: it would be a head without digests.
  await table.attempt({
    operation: 'clearOutbox',
    kind: 'write',
    retryOnContention: true,
    send: (client) =>
      client.send(
        new UpdateItemCommand({
          ...table.settings,
          Key: toKeyAttributes(key),
          UpdateExpression: 'DELETE #outbox :pointers',
          ConditionExpression: EXISTS,
          ExpressionAttributeNames: { '#outbox': ATTRIBUTE.outbox },
          ExpressionAttributeValues: { ':pointers': { SS: [...new Set(pointers)] } },
        }),
      ),
  });
}
