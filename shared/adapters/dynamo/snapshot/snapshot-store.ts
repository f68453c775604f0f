import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { getItem, putItem } from '../items.ts';
import { readJsonItem, toJsonItem } from '../json-items.ts';
import { toRatesKey } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';
import { commitStep, saveFeedState } from './commits.ts';
import { createEventLog } from './event-log.ts';
import { acquireLease, isLeaseHeld, releaseLease } from './leases.ts';
import { deleteLeaves, writeGeneration } from './leaves.ts';
import { loadLedger, saveLedger } from './ledgers.ts';
import { loadMembership, loadSurveys, saveMembership } from './membership.ts';
import { clearOutbox, readEventBatches, readEvents } from './outbox.ts';
import { readRecordsOf } from './record-store.ts';
import { loadWatermark, saveWatermark } from './watermarks.ts';

/**
 * The snapshot store in the one table. Every method throws `NotifierError`: `store_throttled` and
 * `store_unreachable` (both retryable), `store_table_missing`, `store_rejected`, `store_item_unreadable`.
 */
export function createDynamoSnapshotStore(options: TableOptions): SnapshotStore {
  const table = new Table(options);
  return {
    ...readRecordsOf(table),
    saveFeedState: (write) => saveFeedState(table, write),
    writeGeneration: (feed, leaves) => writeGeneration(table, feed, leaves),
    deleteLeaves: (feed, refs) => deleteLeaves(table, feed, refs),
    commit: (step) => commitStep(table, step),
    readEvents: (feed, pointer) => readEvents(table, feed, pointer),
    readEventBatches: (feed, pointers) => readEventBatches(table, feed, pointers),
    clearOutbox: (feed, entries) => clearOutbox(table, feed, entries),
    acquireLease: (feed, lease) => acquireLease(table, feed, lease),
    isLeaseHeld: (feed, by) => isLeaseHeld(table, feed, by),
    releaseLease: (feed, owner) => releaseLease(table, feed, owner),
    loadChangeRates: (feed) => loadChangeRates(table, feed),
    saveChangeRates: (feed, rates) => saveChangeRates(table, feed, rates),
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

const ratesSchema = z.object({ rates: z.string() });

/** Loads when changes are expected, as `saveChangeRates` got it; null when nothing is saved. */
async function loadChangeRates(table: Table, feed: FeedKey): Promise<string | null> {
  const item = await getItem(table, 'loadChangeRates', toRatesKey(feed));
  return item === null ? null : readJsonItem(ratesSchema, item).rates;
}

async function saveChangeRates(table: Table, feed: FeedKey, rates: string): Promise<void> {
  await putItem(table, 'saveChangeRates', toJsonItem(toRatesKey(feed), { rates }));
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
