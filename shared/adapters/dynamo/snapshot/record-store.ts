import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { getItem } from '../items.ts';
import { toStateKey } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';
import { loadHeads } from './heads.ts';
import { readLeaves } from './leaves.ts';
import { loadMembership } from './membership.ts';
import { readStateItem } from './state-items.ts';

/** The part of the snapshot store that reads what polls committed. */
type RecordStore = Pick<SnapshotStore, 'loadFeedState' | 'loadHeads' | 'readLeaves' | 'loadMembership'>;

/** For functions that only read. Throws as `createDynamoSnapshotStore` does. */
export function createRecordStore(options: TableOptions): RecordStore {
  return readRecordsOf(new Table(options));
}

export function readRecordsOf(table: Table): RecordStore {
  return {
    loadHeads: (feed, fromSlice) => loadHeads(table, feed, fromSlice),
    readLeaves: (feed, refs) => readLeaves(table, feed, refs),
    loadMembership: (connection) => loadMembership(table, connection),
    async loadFeedState(feed) {
      const item = await getItem(table, 'loadFeedState', toStateKey(feed));
      return item === null ? null : readStateItem(item);
    },
  };
}
