import { describeAlertBook } from '#test/contracts/alert-book.ts';
import { describeDeliveryLedger } from '#test/contracts/delivery-ledger.ts';
import { describeWebhookBook } from '#test/contracts/webhook-book.ts';
import { createMemoryAlertBook } from './memory-alert-book.ts';
import { createMemoryDeliveryLedger } from './memory-delivery-ledger.ts';
import { createMemoryWebhookBook } from './memory-webhook-book.ts';

describeDeliveryLedger('memory', async () => createMemoryDeliveryLedger());
describeWebhookBook('memory', async () => createMemoryWebhookBook());
describeAlertBook('memory', async () => {
  const ledger = createMemoryDeliveryLedger();
  return { book: createMemoryAlertBook(ledger), ledger };
});
