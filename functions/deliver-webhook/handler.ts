import { watched } from '../watchdog.ts';
import { createWebhookContainer } from './container.ts';
import { createWebhookHandler } from './webhook-handler.ts';

export const handler = watched(createWebhookHandler(createWebhookContainer(process.env)));
