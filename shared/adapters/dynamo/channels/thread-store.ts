import * as z from 'zod';
import type { ThreadStore } from '#shared/people/flow/post-in-threads.ts';
import { toThreadsPartition } from '../../../config/table.ts';
import { getItem, putItem, readJsonItem, toJsonItem } from '../items.ts';
import type { Key } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';

const threadSchema = z.object({ ts: z.string() });

export interface ThreadStoreOptions extends TableOptions {
  readonly channel: string;
}

/** The threads of a channel in the one table. Throws as `createDynamoStore` does. */
export function createThreadStore({ channel, ...options }: ThreadStoreOptions): ThreadStore {
  const table = new Table(options);
  const toKey = (thread: string): Key => ({ partition: toThreadsPartition(channel), sort: thread });
  return {
    async load(thread) {
      const item = await getItem(table, 'loadThread', toKey(thread));
      return item === null ? null : readJsonItem(threadSchema, item).ts;
    },
    async save(thread, ts, expiresAt) {
      await putItem(table, 'saveThread', toJsonItem(toKey(thread), { ts }, expiresAt));
    },
  };
}
