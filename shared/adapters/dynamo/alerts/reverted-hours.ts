import * as z from 'zod';
import type { RevertedHours } from '#shared/alerts/flow/collection.ts';
import { getItem, putItem } from '../items.ts';
import { readJsonItem, toJsonItem } from '../json-items.ts';
import { toRevertedHoursKey } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';

const hoursSchema = z.object({ hours: z.number(), isExact: z.boolean() });

/** In the one table. Throws as `createDynamoSnapshotStore` does. */
export function createRevertedHours(options: TableOptions): RevertedHours {
  const table = new Table(options);
  return {
    load: async (eventId) => {
      const item = await getItem(table, 'loadRevertedHours', toRevertedHoursKey(eventId));
      return item === null ? null : readJsonItem(hoursSchema, item);
    },
    save: (eventId, hours, expiresAt) =>
      putItem(table, 'saveRevertedHours', toJsonItem(toRevertedHoursKey(eventId), hours, expiresAt)),
  };
}
