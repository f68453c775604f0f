import { describeChannelStore } from '#test/contracts/channel-store.ts';
import { describeDeliveryStore } from '#test/contracts/delivery-store.ts';
import { describeWebhookStateStore } from '#test/contracts/webhook-state-store.ts';
import { createMemoryChannelStore } from './memory-channel-store.ts';
import { createMemoryDeliveryStore } from './memory-delivery-store.ts';
import { createMemoryWebhookStateStore } from './memory-webhook-state-store.ts';

describeDeliveryStore('memory', async () => createMemoryDeliveryStore());
describeWebhookStateStore('memory', async () => createMemoryWebhookStateStore());
describeChannelStore('memory', async () => {
  const deliveryStore = createMemoryDeliveryStore();
  return { channelStore: createMemoryChannelStore(deliveryStore), deliveryStore };
});
