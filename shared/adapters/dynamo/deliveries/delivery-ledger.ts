import {
  type Delivery,
  type DeliveryIndex,
  type DeliveryLedger,
  deliverySchema,
} from '#shared/flow/deliveries.ts';
import type { Item } from '../attributes.ts';
import { readItems, toMapKey } from '../batches.ts';
import { getItem, putItem, readJsonItem, toJsonItem } from '../items.ts';
import { toDeliveryKey } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';

/** The ledger of deliveries in the one table. Throws as `createDynamoSnapshotStore` does. */
export function createDeliveryLedger(options: TableOptions): DeliveryLedger & DeliveryIndex {
  const table = new Table(options);
  return {
    async load(eventId, destination) {
      const item = await getItem(table, 'loadDelivery', toDeliveryKey(eventId, destination));
      return item === null ? null : { eventId, destination, ...readJsonItem(deliverySchema, item) };
    },
    save: (delivery, expiresAt) => putItem(table, 'saveDelivery', toDeliveryItem(delivery, expiresAt)),
    loadMany: (deliveries) => loadMany(table, deliveries),
  };
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
