import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { readDelivery } from '#shared/core/webhooks/delivery-message.ts';
import { type Interest, isFor } from '#shared/core/webhooks/filter.ts';

/** Names of the receivers that an event is for, by the config. */
export interface ExpectedReceivers {
  /** Subscriptions, which read their queues themselves. */
  readonly queues: readonly string[];
  readonly webhooks: readonly string[];
}

export function findExpectedReceivers(
  event: object,
  { subscriptions, webhooks }: Pick<NotifierConfig, 'subscriptions' | 'webhooks'>,
): ExpectedReceivers {
  const delivery = readDelivery(JSON.stringify(event), { now: 0, replayed: false })?.event;
  const receives = (receiver: Interest) => delivery !== undefined && isFor(delivery, receiver);
  return {
    queues: subscriptions.filter(receives).map(({ name }) => name),
    webhooks: webhooks.filter(receives).map(({ name }) => name),
  };
}
