import { DescribeTableCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import {
  type CommitOutcome,
  type CommitStep,
  type EventBatch,
  type FeedStateWrite,
  toBatchPointer,
} from '#shared/core/commit/commit-step.ts';
import { INSERT_FENCE } from '#shared/core/commit/insert-fence.ts';
import { listOutboxEntries, type OutboxEntry } from '#shared/core/commit/outbox.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { toHalfHour } from '#shared/core/plan/change-rates.ts';
import { MAX_LEASE_MS } from '#shared/core/plan/lease.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { Lease, SnapshotStore } from '#shared/flow/poll/ports.ts';
import { ATTRIBUTE, type Item, readItem, toAttributes } from '../attributes.ts';
import { createJoiningReader, type ItemReader, readItems, toMapKey } from '../batches.ts';
import { DOES_NOT_EXIST, EXISTS, type ItemCondition } from '../conditions.ts';
import { deleteItemIf, putItem, putItemIf, readJsonItem, toItem, toJsonItem } from '../items.ts';
import {
  type Key,
  parsePointer,
  toEventKeys,
  toHeadKey,
  toKeyAttributes,
  toLeaseKey,
  toRatesKey,
  toStateKey,
} from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';
import { type TransactionWrite, transact } from '../transactions.ts';
import { updateItem } from '../updates.ts';
import { createEventLog, readEventItem, toEventItems } from './event-log.ts';
import { buildHeadUpdate, readHeadItems, toPageItems } from './head-items.ts';
import { toLeafItem } from './leaf-items.ts';
import { deleteLeaves, writeGeneration } from './leaves.ts';
import { loadLedger, saveLedger } from './ledgers.ts';
import { loadMembership, loadSurveys, saveMembership } from './membership.ts';
import { readRecordsOf } from './record-store.ts';
import {
  buildStateUpdate,
  buildWatermarkCheck,
  buildWatermarkUpdate,
  loadWatermark,
  saveWatermark,
} from './state-items.ts';

/**
 * The snapshot store in the one table. Every method throws `NotifierError`: `store_throttled` and
 * `store_unreachable` (both retryable), `store_table_missing`, `store_rejected`, `store_item_unreadable`.
 */
export function createDynamoSnapshotStore(options: TableOptions): SnapshotStore {
  const table = new Table(options);
  const read = createJoiningReader(table);
  return {
    ...readRecordsOf(table, read),
    ...keepChangeRates(table, read),
    loadInsertFence: (feed) => loadInsertFence(read, feed),
    saveFeedState: (write) => saveFeedState(table, write),
    writeGeneration: (feed, leaves) => writeGeneration(table, feed, leaves),
    deleteLeaves: (feed, refs) => deleteLeaves(table, feed, refs),
    commit: (step) => commitStep(table, step),
    readEvents: (feed, pointer) => readEvents(table, feed, pointer),
    readEventBatches: (feed, pointers) => readEventBatches(table, feed, pointers),
    clearOutbox: (feed, entries) => clearOutbox(table, feed, entries),
    acquireLease: (feed, lease) => acquireLease(table, feed, lease),
    isLeaseHeld: (feed, by) => isLeaseHeld(read, feed, by),
    releaseLease: (feed, owner) => releaseLease(table, feed, owner),
    loadLedger: (key) => loadLedger(table, key),
    saveLedger: (key, ledger, expiresAt) => saveLedger(table, key, { ledger, expiresAt }),
    loadMembership: (connection) => loadMembership(table, connection),
    loadSurveys: (connection) => loadSurveys(table, connection),
    saveMembership: (connection, buckets) => saveMembership(table, connection, buckets),
    loadWatermark: (feed) => loadWatermark(table, feed),
    saveWatermark: (feed, write) => saveWatermark(table, feed, write),
    readLog: createEventLog(options).read,
    tableId: createTableIdReader(table),
  };
}

/** Loads the fence; it has no digest pages. Null when nothing arrived yet. */
async function loadInsertFence(read: ItemReader, feed: FeedKey): Promise<SliceHead | null> {
  const item = await read('loadInsertFence', toHeadKey(feed, INSERT_FENCE));
  return item === null ? null : (readHeadItems([item]).heads[0] ?? null);
}

const ratesSchema = z.object({ rates: z.string() });

/** A half hour is learned once it is over, so a process reads the rates again in the next one, or when it saved them. */
function keepChangeRates(
  table: Table,
  read: ItemReader,
): Required<Pick<SnapshotStore, 'loadChangeRates' | 'saveChangeRates'>> {
  const kept = new Map<string, { readonly halfHour: number; readonly rates: string | null }>();
  return {
    async loadChangeRates(feed, now) {
      const halfHour = toHalfHour(now);
      const known = kept.get(feed.connection);
      if (known?.halfHour === halfHour) return known.rates;
      const item = await read('loadChangeRates', toRatesKey(feed));
      const rates = item === null ? null : readJsonItem(ratesSchema, item).rates;
      kept.set(feed.connection, { halfHour, rates });
      return rates;
    },
    async saveChangeRates(feed, rates) {
      await putItem(table, 'saveChangeRates', toJsonItem(toRatesKey(feed), { rates }));
      kept.delete(feed.connection);
    },
  };
}

/**
 * Creates a reader of the id that DynamoDB gave the table when it was created. A restored table has another one, even
 * under the same name. The id is read once, and again after the table was missing. Null when it cannot be read now.
 */
function createTableIdReader(table: Table): () => Promise<string | null> {
  let known: { readonly id: string; readonly timesMissing: number } | null = null;
  return async () => {
    if (known?.timesMissing === table.timesMissing) return known.id;
    const id = await fetchTableId(table);
    known = id === null ? null : { id, timesMissing: table.timesMissing };
    return id;
  };
}

async function fetchTableId(table: Table): Promise<string | null> {
  try {
    const { id } = await table.send({
      operation: 'tableId',
      kind: 'read',
      send: async (client) => {
        const answer = await client.send(new DescribeTableCommand({ TableName: table.name }));
        return { id: answer.Table?.TableId, ConsumedCapacity: undefined };
      },
    });
    return id ?? null;
  } catch (error) {
    if (!(error instanceof NotifierError)) throw error;
    return null;
  }
}

/**
 * Executes one step in one transaction (rule 2 of docs/architecture.md): heads under their conditions, digest pages,
 * leaves, events, and the pointers to these in outboxes. Repeating a step that succeeded does nothing.
 */
async function commitStep(table: Table, step: CommitStep): Promise<CommitOutcome> {
  const { feed, token, heads, leaves, events, eventsExpireAt, watermark } = step;
  const pointers = new Map(listOutboxEntries(step).map(({ slice, pointer }) => [slice, pointer]));
  const items = [
    ...heads.flatMap((write) => toPageItems(feed, write)),
    ...leaves.map((leaf) => toLeafItem(feed, leaf)),
    ...toItems(feed, events, eventsExpireAt),
  ];
  const writes = [
    ...heads.map((write) => ({
      Update: buildHeadUpdate(feed, write, pointers.get(write.head.slice) ?? null),
    })),
    ...items.map(toPut),
    ...(watermark === undefined ? [] : [buildWatermarkCheck(feed, watermark)]),
  ];
  return await transact(table, { operation: 'commit', token, writes });
}

/** Writes the feed's state, in one transaction with its operational events. */
async function saveFeedState(table: Table, write: FeedStateWrite): Promise<CommitOutcome> {
  const { feed, token, events, eventsExpireAt, watermark } = write;
  const operation = 'saveFeedState';
  if (events === null) return await updateItem(table, operation, buildStateUpdate(write, null));
  const writes = [
    { Update: buildStateUpdate(write, toBatchPointer(events)) },
    ...toItems(feed, events, eventsExpireAt).map(toPut),
    ...(watermark === undefined ? [] : [{ Update: buildWatermarkUpdate(feed, watermark) }]),
  ];
  return await transact(table, { operation, token, writes });
}

function toItems(feed: FeedKey, events: EventBatch | null, expiresAt: number): Item[] {
  return events === null ? [] : toEventItems(feed, events, expiresAt);
}

function toPut(item: Item): TransactionWrite {
  return { Put: { Item: item } };
}

/** The same poll holds it: its request was delivered twice. */
const IS_OWN = '#owner = :owner';
/** The poll that held it did not end in time. */
const IS_EXPIRED = '#end <= :now';
/** The poll that held it had a wrong clock: no lease is that long. */
const IS_TOO_LONG = '#end > :latest';

/** Acquires or extends a lease, and returns whether it did. */
async function acquireLease(table: Table, feed: FeedKey, lease: Lease): Promise<boolean> {
  const { owner, expiresAt, takeOver, dates } = lease;
  const item = toItem(toLeaseKey(feed, dates), { [ATTRIBUTE.owner]: owner, [ATTRIBUTE.end]: expiresAt });
  return await putItemIf(table, 'acquireLease', { item, condition: takeOver ? {} : expectFree(lease) });
}

function expectFree({ owner, now }: Lease): ItemCondition {
  return {
    ConditionExpression: `${DOES_NOT_EXIST} OR ${IS_OWN} OR ${IS_EXPIRED} OR ${IS_TOO_LONG}`,
    ExpressionAttributeNames: { '#owner': ATTRIBUTE.owner, '#end': ATTRIBUTE.end },
    ExpressionAttributeValues: toAttributes({ ':owner': owner, ':now': now, ':latest': now + MAX_LEASE_MS }),
  };
}

const leaseItemSchema = z.object({ [ATTRIBUTE.owner]: z.string(), [ATTRIBUTE.end]: z.number() });

/** Whether another owner holds the lease of the whole feed. */
async function isLeaseHeld(
  read: ItemReader,
  feed: FeedKey,
  { owner, now }: Pick<Lease, 'owner' | 'now'>,
): Promise<boolean> {
  const item = await read('isLeaseHeld', toLeaseKey(feed));
  if (item === null) return false;
  const { [ATTRIBUTE.owner]: holder, [ATTRIBUTE.end]: end } = readItem(leaseItemSchema, item);
  return holder !== owner && end > now && end <= now + MAX_LEASE_MS;
}

/** Deletes the lease of the whole feed, unless another owner holds it by now. */
async function releaseLease(table: Table, feed: FeedKey, owner: string): Promise<void> {
  const condition = {
    ConditionExpression: IS_OWN,
    ExpressionAttributeNames: { '#owner': ATTRIBUTE.owner },
    ExpressionAttributeValues: toAttributes({ ':owner': owner }),
  };
  await deleteItemIf(table, 'releaseLease', { key: toLeaseKey(feed), condition });
}

/** Reads the texts of a batch. Throws `NotifierError` `events_missing` when part of it does not exist. */
async function readEvents(table: Table, feed: FeedKey, pointer: string): Promise<readonly string[]> {
  const texts = (await readEventBatches(table, feed, [pointer])).get(pointer);
  if (texts != null) return texts;
  throw new NotifierError(
    'events_missing',
    `table "${table.name}" holds no events under ${pointer}; they expired, or were deleted by hand`,
  );
}

/** Reads the texts of several batches, by pointer; null for a batch of which a part does not exist. */
async function readEventBatches(
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
async function clearOutbox(table: Table, feed: FeedKey, entries: readonly OutboxEntry[]): Promise<void> {
  const pointers = new Map<string | null, string[]>();
  for (const { slice, pointer } of entries) pointers.set(slice, [...(pointers.get(slice) ?? []), pointer]);
  await table.inBatches([...pointers], async ([slice, cleared]) => {
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
