import { createWebhookContainer } from './container.ts';
import { createWebhookHandler } from './webhook-handler.ts';

export const handler = createWebhookHandler(createWebhookContainer(process.env));
