import type { Delivery, DeliveryLedger } from '#shared/flow/deliveries.ts';

/** A ledger without a database. `all` returns every delivery in the order in which they were first saved. */
export function createMemoryDeliveryLedger(): DeliveryLedger & { all(): readonly Delivery[] } {
  const deliveries = new Map<string, Delivery>();
  const all = () => [...deliveries.values()];
  return {
    all,
    load: async (eventId, destination) => deliveries.get(`${eventId} ${destination}`) ?? null,
    save: async (delivery) => {
      deliveries.set(`${delivery.eventId} ${delivery.destination}`, { ...delivery });
    },
  };
}
