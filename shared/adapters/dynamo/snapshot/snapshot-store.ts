import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { Table, type TableOptions } from '../table.ts';
import { loadChangeRates, saveChangeRates } from './change-rates.ts';
import { commitStep, saveFeedState } from './commits.ts';
import { acquireLease, isLeaseHeld, releaseLease } from './leases.ts';
import { deleteLeaves, writeGeneration } from './leaves.ts';
import { loadLedger, saveLedger } from './ledgers.ts';
import { loadMembership, loadSurveys, saveMembership } from './membership.ts';
import { clearOutbox, readEventBatches, readEvents } from './outbox.ts';
import { readRecordsOf } from './record-store.ts';
import { createTableIdReader } from './table-identity.ts';

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
    tableId: createTableIdReader(table),
  };
}
