import { toIso } from '../core/dates.ts';
import type { DeliveryOperationType } from '../core/event-types.ts';
import { hashToEventId, toEventText } from '../core/events/envelope.ts';
import type { DeliverableEvent } from './delivery-message.ts';
import type { DisabledWebhook } from './disabled-webhook.ts';

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

/** The CloudEvent `webhook.enabled` as JSON; null before it is. Identical for the same `DisabledWebhook`. */
export function buildWebhookEnabledEvent(
  webhook: string,
  { url, at, connection, enabledAt }: DisabledWebhook,
): string | null {
  if (enabledAt === undefined) return null;
  return buildWebhookEvent('webhook.enabled', {
    webhook,
    connection,
    occurrence: [url, at],
    subject: webhook,
    at: enabledAt,
    data: { webhook, disabledAt: toIso(at) },
  });
}

/** An event that was delivered after `delivery.failed` was published about it. Instants in milliseconds since 1970. */
interface RecoveredDelivery extends Pick<FailedDelivery, 'webhook' | 'event'> {
  readonly failedAt: number;
  readonly deliveredAt: number;
}

/** The CloudEvent `delivery.recovered` as JSON; identical for the same delivery. */
export function buildDeliveryRecoveredEvent(recovered: RecoveredDelivery): string {
  const { webhook, event, failedAt, deliveredAt } = recovered;
  return buildWebhookEvent('delivery.recovered', {
    webhook,
    connection: event.connection,
    occurrence: [event.id, failedAt],
    subject: event.id,
    at: deliveredAt,
    data: { webhook, eventId: event.id, eventType: event.type, failedAt: toIso(failedAt) },
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
  return toEventText({
    id: hashToEventId([WEBHOOKS, webhook, type, ...occurrence]),
    source: `${WEBHOOKS}${webhook}`,
    ...{ type, subject, connection, data },
    time: toIso(at),
    sequence: 1,
  });
}
