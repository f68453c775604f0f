import { createWebhookContainer } from './container.ts';
import { webhookHandler } from './webhook-handler.ts';

export const handler = webhookHandler(createWebhookContainer(process.env));
