import type { InterestStore } from '#shared/systems/flow/check-deliveries.ts';
import { knownInterestSchema } from '#shared/systems/withheld.ts';
import { getItem, putItem, readJsonItem, toJsonItem } from '../items.ts';
import { toInterestKey } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';

/** Since when webhooks want what they want, in the one table. Throws as `createDynamoStore` does. */
export function createInterestStore(options: TableOptions): InterestStore {
  const table = new Table(options);
  return {
    async load(webhook) {
      const item = await getItem(table, 'loadInterest', toInterestKey(webhook));
      return item === null ? null : readJsonItem(knownInterestSchema, item);
    },
    save: (webhook, interest) => putItem(table, 'saveInterest', toJsonItem(toInterestKey(webhook), interest)),
  };
}
