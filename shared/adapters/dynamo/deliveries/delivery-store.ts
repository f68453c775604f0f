import * as z from 'zod';
import type { Delivery, DeliveryIndex, DeliveryStore } from '#shared/flow/deliveries.ts';
import type { Item } from '../attributes.ts';
import { readItems, toMapKey } from '../batches.ts';
import { getItem, putItem, readJsonItem, toJsonItem } from '../items.ts';
import { toDeliveryKey } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';

const deliverySchema = z.object({
  // An outcome that a later version added counts as none: this version delivers by itself.
  outcome: z.enum(['waiting', 'delivered', 'failed']).catch('waiting'),
  at: z.number(),
  attempts: z.int(),
  detail: z.string().nullable(),
  answers: z.array(z.string()).exactOptional(),
  nextAt: z.number().exactOptional(),
  failedAt: z.number().exactOptional(),
});

/** The delivery store in the one table. Throws as `createDynamoStore` does. */
export function createDeliveryStore(options: TableOptions): DeliveryStore {
  const table = new Table(options);
  return {
    async load(eventId, destination) {
      const item = await getItem(table, 'loadDelivery', toDeliveryKey(eventId, destination));
      return item === null ? null : { eventId, destination, ...readJsonItem(deliverySchema, item) };
    },
    save: (delivery, expiresAt) => putItem(table, 'saveDelivery', toDeliveryItem(delivery, expiresAt)),
  };
}

/** The same deliveryStore for who reads much of it: functions that write it do without. */
export function createDeliveryIndex(options: TableOptions): DeliveryIndex {
  const table = new Table(options);
  return { loadMany: (deliveries) => loadMany(table, deliveries) };
}

async function loadMany(
  table: Table,
  deliveries: readonly Pick<Delivery, 'eventId' | 'destination'>[],
): Promise<readonly Delivery[]> {
  const wanted = deliveries.map(({ eventId, destination }) => ({
    ids: { eventId, destination },
    key: toDeliveryKey(eventId, destination),
  }));
  const items = await readItems(
    table,
    'loadDeliveries',
    wanted.map(({ key }) => key),
  );
  return wanted.flatMap(({ ids, key }) => {
    const item = items.get(toMapKey(key));
    return item === undefined ? [] : [{ ...ids, ...readJsonItem(deliverySchema, item) }];
  });
}

/** `expiresAt`: milliseconds since 1970. */
export function toDeliveryItem(delivery: Delivery, expiresAt: number): Item {
  const { eventId, destination, ...rest } = delivery;
  return toJsonItem(toDeliveryKey(eventId, destination), rest, expiresAt);
}
