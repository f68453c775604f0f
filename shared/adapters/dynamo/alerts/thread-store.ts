import * as z from 'zod';
import type { StoredThread, ThreadStore } from '#shared/threads/flow/thread-heads.ts';
import { threadSchema } from '#shared/threads/thread.ts';
import { toThreadsPartition } from '../../../config/table.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { expectRevision } from '../conditions.ts';
import { getItem, parseBody, putItemIf, toItem } from '../items.ts';
import type { Key } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';

const threadItemSchema = z.object({ [ATTRIBUTE.revision]: z.int(), [ATTRIBUTE.body]: bytesSchema });

export interface ThreadStoreOptions extends TableOptions {
  readonly channel: string;
}

/** The threads of a channel in the one table. Throws as `createDynamoSnapshotStore` does. */
export function createThreadStore({ channel, ...options }: ThreadStoreOptions): ThreadStore {
  const table = new Table(options);
  const toKey = (topic: string): Key => ({ partition: toThreadsPartition(channel), sort: topic });
  return {
    async load(topic) {
      const item = await getItem(table, 'loadThread', toKey(topic));
      return item === null ? null : readThread(item);
    },
    async save(thread, { expectedRevision, expiresAt }) {
      const values = {
        [ATTRIBUTE.revision]: (expectedRevision ?? 0) + 1,
        [ATTRIBUTE.body]: compressed(JSON.stringify(thread)),
      };
      const saved = await putItemIf(table, 'saveThread', {
        item: toItem(toKey(thread.topic), values, expiresAt),
        condition: expectRevision(expectedRevision),
      });
      return saved ? 'committed' : 'conflict';
    },
  };
}

function readThread(item: Item): StoredThread {
  const { [ATTRIBUTE.revision]: revision, [ATTRIBUTE.body]: body } = readItem(threadItemSchema, item);
  return { thread: parseBody(threadSchema, item, decompressed(body)), revision };
}
