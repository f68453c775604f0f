import * as z from 'zod';
import type { DeliveryOperationType } from '../event-types.ts';

const instant = z.iso.datetime();
const id = z.string();

/** Data of events about delivery to webhooks. */
export const WEBHOOK_DATA_SCHEMAS = {
  'delivery.failed': z.strictObject({
    webhook: z.string().describe('Name of the webhook in the config.'),
    eventId: id.describe('The event that could not be delivered; it is in the dead-letter queue.'),
    eventType: z.string(),
    attempts: z.int().min(0),
    reason: z.string().describe('Last HTTP status, or why there was none.'),
  }),
  'delivery.recovered': z.strictObject({
    webhook: z.string().describe('Name of the webhook in the config.'),
    eventId: id.describe('The event that was given up before.'),
    eventType: z.string(),
    failedAt: instant.describe('When `delivery.failed` was published about it.'),
  }),
  'webhook.disabled': z.strictObject({
    webhook: z.string().describe('Name of the webhook in the config.'),
    reason: z.string().describe('What the endpoint answered.'),
  }),
  'webhook.enabled': z.strictObject({
    webhook: z.string().describe('Name of the webhook in the config.'),
    disabledAt: instant.describe('When it was disabled.'),
  }),
} as const satisfies Readonly<Record<DeliveryOperationType, z.ZodObject>>;
