import type { Delivery, DeliveryStore } from '#shared/flow/deliveries.ts';

/** A deliveryStore without a database. `all` returns every delivery in the order in which they were first saved. */
export function createMemoryDeliveryStore(): DeliveryStore & { all(): readonly Delivery[] } {
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
