import { describeAlertStore } from '#test/contracts/alert-store.ts';
import { describeDeliveryLedger } from '#test/contracts/delivery-ledger.ts';
import { describeWebhookStateStore } from '#test/contracts/webhook-state-store.ts';
import { createMemoryAlertStore } from './memory-alert-store.ts';
import { createMemoryDeliveryLedger } from './memory-delivery-ledger.ts';
import { createMemoryWebhookStateStore } from './memory-webhook-state-store.ts';

describeDeliveryLedger('memory', async () => createMemoryDeliveryLedger());
describeWebhookStateStore('memory', async () => createMemoryWebhookStateStore());
describeAlertStore('memory', async () => {
  const ledger = createMemoryDeliveryLedger();
  return { alertStore: createMemoryAlertStore(ledger), ledger };
});
