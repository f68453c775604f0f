import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import type { OutboxEntry } from '#shared/core/commit/outbox.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { ATTRIBUTE } from '../attributes.ts';
import { eventKeys, headKey, type Key, keyAttributes, readPointer, stateKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { readEventItem } from './event-items.ts';
import { readItems, toMapKey } from './leaves.ts';

/** Clearing must not make an item that is not there: it would be a head without digests. */
const MUST_EXIST = `attribute_exists(${TABLE.partitionKey})`;

/** The texts of a batch. Throws `NotifierError` `events_missing` when part of it is not there. */
export async function readEvents(table: Table, feed: FeedKey, pointer: string): Promise<readonly string[]> {
  const texts = (await readEventBatches(table, feed, [pointer])).get(pointer);
  if (texts != null) return texts;
  throw new NotifierError(
    'events_missing',
    `there are no events under ${pointer} in table "${table.name}"; they have expired, or were deleted by hand`,
  );
}

/** The texts of several batches by pointer; null for a batch of which a part is not there. */
export async function readEventBatches(
  table: Table,
  feed: FeedKey,
  pointers: readonly string[],
): Promise<Map<string, readonly string[] | null>> {
  const keys = pointers.map((pointer) => {
    const { batchKey, chunks } = readPointer(pointer);
    return [pointer, eventKeys(feed, batchKey, chunks)] as const;
  });
  const items = await readItems(
    table,
    'readEvents',
    keys.flatMap(([, own]) => own),
  );
  return new Map(
    keys.map(([pointer, own]) => {
      const found = own.map((key) => items.get(toMapKey(key))).filter((item) => item !== undefined);
      return [pointer, found.length === own.length ? found.flatMap(readEventItem) : null];
    }),
  );
}

/** Takes pointers out of their outboxes, one write for each outbox. */
export async function clearOutbox(
  table: Table,
  feed: FeedKey,
  entries: readonly OutboxEntry[],
): Promise<void> {
  const pointers = new Map<string | null, string[]>();
  for (const { slice, pointer } of entries) pointers.set(slice, [...(pointers.get(slice) ?? []), pointer]);
  await table.inParts([...pointers], async ([slice, gone]) => {
    await clearOne(table, slice === null ? stateKey(feed) : headKey(feed, slice), gone);
    return null;
  });
}

async function clearOne(table: Table, key: Key, pointers: readonly string[]): Promise<void> {
  // A conflict is an item that is not there: then neither is its outbox.
  await table.attempt({
    operation: 'clearOutbox',
    kind: 'write',
    retryOnContention: true,
    send: (client) =>
      client.send(
        new UpdateItemCommand({
          ...table.settings,
          Key: keyAttributes(key),
          UpdateExpression: 'DELETE #outbox :pointers',
          ConditionExpression: MUST_EXIST,
          ExpressionAttributeNames: { '#outbox': ATTRIBUTE.outbox },
          ExpressionAttributeValues: { ':pointers': { SS: [...new Set(pointers)] } },
        }),
      ),
  });
}
