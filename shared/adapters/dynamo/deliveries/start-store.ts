import type { StartStore } from '#shared/snapshots/flow/start-receivers.ts';
import { receiverStartSchema, type StartKey } from '#shared/snapshots/receiver-start.ts';
import { ATTRIBUTE } from '../attributes.ts';
import { expectRevision } from '../conditions.ts';
import { getItem, putItemIf, readJsonItem, toItem } from '../items.ts';
import { type Key, toStartKey } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';

/** The starts of receivers in the one table. Throws as `createDynamoSnapshotStore` does. */
export function createStartStore(options: TableOptions): StartStore {
  const table = new Table(options);
  return {
    async load(key) {
      const item = await getItem(table, 'loadStart', keyOf(key));
      return item === null ? null : readJsonItem(receiverStartSchema, item);
    },
    async save(key, start) {
      const { revision } = start;
      const saved = await putItemIf(table, 'saveStart', {
        item: toItem(keyOf(key), { [ATTRIBUTE.revision]: revision, [ATTRIBUTE.body]: JSON.stringify(start) }),
        condition: expectRevision(revision === 1 ? null : revision - 1),
      });
      return saved ? 'committed' : 'conflict';
    },
  };
}

function keyOf({ receiver, generation, connection }: StartKey): Key {
  return toStartKey(receiver, `${connection}#${generation}`);
}
