import { hash } from 'node:crypto';
import { toIso } from '../dates.ts';
import { type DeliveryOperationType, toEventType } from '../event-types.ts';
import { toDataSchemaUri } from '../events/events.ts';
import { toQueueSafeJson } from '../queue-safe-json.ts';
import type { DeliverableEvent } from './delivery-message.ts';
import type { DisabledWebhook } from './disabled-webhook.ts';

const ID_DIGITS = 32;

/** Instants in milliseconds since 1970. */
interface FailedDelivery {
  readonly webhook: string;
  readonly event: DeliverableEvent;
  readonly attempts: number;
  /** Last HTTP status, or why there was none. */
  readonly reason: string;
  /** When the event was first received for the webhook. A redriven event that fails again is a new failure. */
  readonly firstAt: number;
  readonly now: number;
}

/** The CloudEvent `delivery.failed` as JSON. */
export function buildDeliveryFailedEvent(failed: FailedDelivery): string {
  const { webhook, event, attempts, reason, firstAt, now } = failed;
  return buildWebhookEvent('delivery.failed', {
    webhook,
    connection: event.connection,
    occurrence: [event.id, firstAt],
    subject: event.id,
    at: now,
    data: { webhook, eventId: event.id, eventType: event.type, attempts, reason },
  });
}

/** The CloudEvent `webhook.disabled` as JSON; identical for the same `DisabledWebhook`. */
export function buildWebhookDisabledEvent(
  webhook: string,
  { url, at, reason, connection }: DisabledWebhook,
): string {
  return buildWebhookEvent('webhook.disabled', {
    webhook,
    connection,
    occurrence: [url, at],
    subject: webhook,
    at,
    data: { webhook, reason },
  });
}

/** Whether an event is about a webhook. Its own failure to be delivered is not published, or that would never end. */
export function isAboutWebhook({ source }: DeliverableEvent): boolean {
  return source.startsWith(WEBHOOKS);
}

const WEBHOOKS = '/webhooks/';

interface WebhookOperation {
  readonly webhook: string;
  readonly connection: string;
  /** Distinguishes it from others of its type; part of the id, so that a repetition has the same id. */
  readonly occurrence: readonly (string | number)[];
  readonly subject: string;
  readonly at: number;
  readonly data: object;
}

function buildWebhookEvent(type: DeliveryOperationType, operation: WebhookOperation): string {
  const { webhook, connection, occurrence, subject, at, data } = operation;
  return toQueueSafeJson({
    specversion: '1.0',
    id: hash('sha256', JSON.stringify([WEBHOOKS, webhook, type, ...occurrence]), 'hex').slice(0, ID_DIGITS),
    source: `${WEBHOOKS}${webhook}`,
    type: toEventType(type),
    subject,
    time: toIso(at),
    datacontenttype: 'application/json',
    dataschema: toDataSchemaUri(type),
    connection,
    sequence: 1,
    data,
  });
}
