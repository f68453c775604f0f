import { beforeAll, describe, expect, test } from 'vitest';
import type { Delivery, DeliveryStore } from '#shared/flow/deliveries.ts';
import { NOON } from './store-samples.ts';

const LATER = NOON + 86_400_000;

const RETRY = { answers: ['503'], nextAt: NOON + 5_000 };

let samples = 0;

/** The contract of every deliveryStore of deliveries. */
export function describeDeliveryStore(name: string, make: () => Promise<DeliveryStore>): void {
  describe(`${name} as a deliveryStore of deliveries`, () => {
    let deliveryStore: DeliveryStore;
    beforeAll(async () => {
      deliveryStore = await make();
    });

    test('has none of an event that was never sent, and then what was saved last', async () => {
      const waiting = freshDelivery({ outcome: 'waiting', attempts: 1, detail: '503', ...RETRY });
      const { nextAt: _, ...tried } = waiting;
      const { eventId, destination } = waiting;
      expect(await deliveryStore.load(eventId, destination)).toBeNull();
      const saved: Delivery[] = [
        waiting,
        { ...tried, outcome: 'failed', failedAt: NOON + 4 },
        { ...tried, outcome: 'delivered', attempts: 2, detail: null, at: NOON + 5 },
      ];
      for (const delivery of saved) {
        await deliveryStore.save(delivery, LATER);
        expect(await deliveryStore.load(eventId, destination)).toEqual(delivery);
      }
    });

    test('keeps the deliveries of an event to several destinations apart', async () => {
      const { eventId } = freshDelivery();
      const destinations = ['webhook/b', 'email/office', 'webhook/a', 'slack/payroll'];
      for (const [attempts, destination] of destinations.entries())
        await deliveryStore.save(freshDelivery({ eventId, destination, attempts }), LATER);

      for (const [attempts, destination] of destinations.entries())
        expect(await deliveryStore.load(eventId, destination)).toMatchObject({ destination, attempts });
    });
  });
}

function freshDelivery(values: Partial<Delivery> = {}): Delivery {
  samples += 1;
  const whose = { eventId: `event-${process.pid}-${samples}`, destination: 'webhook/payroll' };
  return { ...whose, outcome: 'delivered', at: NOON, attempts: 1, detail: null, ...values };
}
