import { describeAlertBook } from '#test/contracts/alert-store.ts';
import { describeDeliveryLedger } from '#test/contracts/delivery-ledger.ts';
import { describeWebhookBook } from '#test/contracts/webhook-state-store.ts';
import { createMemoryAlertBook } from './memory-alert-store.ts';
import { createMemoryDeliveryLedger } from './memory-delivery-ledger.ts';
import { createMemoryWebhookBook } from './memory-webhook-state-store.ts';

describeDeliveryLedger('memory', async () => createMemoryDeliveryLedger());
describeWebhookBook('memory', async () => createMemoryWebhookBook());
describeAlertBook('memory', async () => {
  const ledger = createMemoryDeliveryLedger();
  return { book: createMemoryAlertBook(ledger), ledger };
});
