import { toIso } from '../core/dates.ts';
import { hashToEventId, toEventText } from '../core/events/envelope.ts';
import { type Trouble, tellBegan, tellEnded } from '../core/events/trouble.ts';
import type { Operation } from '../core/records/operation.ts';
import type { DeliverableEvent } from './delivery-message.ts';
import type { DisabledWebhook } from './disabled-webhook.ts';

/** An event that was given up. Instants in milliseconds since 1970. */
interface FailedDelivery {
  readonly webhook: string;
  readonly event: DeliverableEvent;
  readonly failedAt: number;
}

/**
 * That an event could not be delivered, as JSON. `reason`: last HTTP status, or why there was none. `firstAt`: when it was
 * first received for the webhook: one that is told twice has one id.
 */
export function buildDeliveryFailedEvent(
  failed: FailedDelivery,
  { reason, firstAt }: { readonly reason: string; readonly firstAt: number },
): string {
  const { webhook, event, failedAt } = failed;
  const began = tellBegan({ ...describeDelivery(failed), count: 1, cause: reason });
  return buildWebhookEvent(began, { webhook, connection: event.connection, nth: firstAt, at: failedAt });
}

/** That it was delivered after all; identical for the same delivery. */
export function buildDeliveryRecoveredEvent(failed: FailedDelivery, deliveredAt: number): string {
  const { webhook, event, failedAt } = failed;
  const ended = tellEnded(describeDelivery(failed));
  return buildWebhookEvent(ended, { webhook, connection: event.connection, nth: failedAt, at: deliveredAt });
}

function describeDelivery({ webhook, event, failedAt }: FailedDelivery) {
  const about = [webhook, event.id];
  return { kind: 'delivery_failed', subject: event.id, about, since: failedAt } as const;
}

/** That a webhook gets no more events, as JSON; identical for the same `DisabledWebhook`. */
export function buildWebhookDisabledEvent(webhook: string, disabled: DisabledWebhook): string {
  const { at, reason, connection } = disabled;
  const began = tellBegan({ ...describeDisabled(webhook, disabled), count: 1, cause: reason });
  return buildWebhookEvent(began, { webhook, connection, nth: at, at });
}

/** That it gets events again; null before it does. Identical for the same `DisabledWebhook`. */
export function buildWebhookEnabledEvent(webhook: string, disabled: DisabledWebhook): string | null {
  const { at, connection, enabledAt } = disabled;
  if (enabledAt === undefined) return null;
  const ended = tellEnded(describeDisabled(webhook, disabled));
  return buildWebhookEvent(ended, { webhook, connection, nth: at, at: enabledAt });
}

function describeDisabled(webhook: string, { at }: DisabledWebhook): Omit<Trouble, 'count' | 'cause'> {
  return { kind: 'webhook_disabled', subject: webhook, about: [webhook], since: at };
}

/** Whether an event is about a webhook. Its own failure to be delivered is not published, or that would never end. */
export function isAboutWebhook({ source }: DeliverableEvent): boolean {
  return source.startsWith(WEBHOOKS);
}

const WEBHOOKS = '/webhooks/';

interface Place {
  readonly webhook: string;
  readonly connection: string;
  /** Tells it from others with its subject: a repetition has the same id. */
  readonly nth: number;
  readonly at: number;
}

function buildWebhookEvent(
  { type, subject, data }: Operation,
  { webhook, connection, nth, at }: Place,
): string {
  return toEventText({
    id: hashToEventId([WEBHOOKS, webhook, type, subject, nth]),
    source: `${WEBHOOKS}${webhook}`,
    ...{ type, subject, connection, data: { feed: null, ...data } },
    time: toIso(at),
    sequence: 1,
  });
}
