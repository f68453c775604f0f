import { describeDeliveryLedger } from '#test/contracts/delivery-ledger.ts';
import { describeWebhookBook } from '#test/contracts/webhook-book.ts';
import { createMemoryDeliveryLedger } from './memory-delivery-ledger.ts';
import { createMemoryWebhookBook } from './memory-webhook-book.ts';

describeDeliveryLedger('memory', async () => createMemoryDeliveryLedger());
describeWebhookBook('memory', async () => createMemoryWebhookBook());
