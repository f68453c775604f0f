import { hash } from 'node:crypto';
import { isoOf } from '../dates.ts';
import { type DeliveryOperationType, eventType } from '../event-types.ts';
import { dataSchemaOf } from '../events.ts';
import type { DeliverableEvent } from './delivery-message.ts';

const ID_DIGITS = 32;

/** What a delivery came to, and to whom. */
export interface Trouble {
  readonly webhook: string;
  readonly event: DeliverableEvent;
  readonly attempts: number;
  /** Last HTTP status, or why there was none. */
  readonly reason: string;
  readonly now: number;
}

/** The CloudEvent, as JSON, that tells that an event could not be delivered. */
export function deliveryFailedText(trouble: Trouble): string {
  const { webhook, event, attempts, reason } = trouble;
  return textOf('delivery.failed', trouble, {
    subject: event.id,
    data: { webhook, eventId: event.id, eventType: event.type, attempts, reason },
  });
}

/** The CloudEvent, as JSON, that tells that an endpoint wants no more events. */
export function webhookDisabledText(trouble: Trouble): string {
  const { webhook, reason } = trouble;
  return textOf('webhook.disabled', trouble, { subject: webhook, data: { webhook, reason } });
}

/** An event about a webhook. When such a one cannot be delivered that is not told, or telling would never end. */
export function isAboutWebhook({ source }: DeliverableEvent): boolean {
  return source.startsWith(WEBHOOKS);
}

const WEBHOOKS = '/webhooks/';

function textOf(
  type: DeliveryOperationType,
  { webhook, event, now }: Trouble,
  { subject, data }: { readonly subject: string; readonly data: object },
): string {
  return JSON.stringify({
    specversion: '1.0',
    // The same trouble told again has the same id.
    id: hash('sha256', JSON.stringify([WEBHOOKS, webhook, event.id, type]), 'hex').slice(0, ID_DIGITS),
    source: `${WEBHOOKS}${webhook}`,
    type: eventType(type),
    subject,
    time: isoOf(now),
    datacontenttype: 'application/json',
    dataschema: dataSchemaOf(type),
    connection: event.connection,
    sequence: 1,
    data,
  });
}
