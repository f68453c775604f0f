import type { Webhook } from '#shared/config/schema/webhook.ts';
import { describeFailure } from '#shared/core/errors.ts';
import { buildWebhookEnabledEvent } from '#shared/core/webhooks/delivery-events.ts';
import type { DisabledWebhook } from '#shared/core/webhooks/disabled-webhook.ts';
import type { WebhookPorts } from './webhook-run.ts';

/** A new address in the config is a new endpoint, so the answer of the former one no longer counts. */
export async function checkDisabled(webhook: Webhook, ports: WebhookPorts): Promise<boolean> {
  const disabled = await ports.stateStore.loadDisabled(webhook.name);
  if (disabled === null || disabled.url === webhook.url) return disabled?.told ?? false;
  await enable(disabled, webhook, ports);
  return false;
}

/**
 * Publishes `webhook.enabled`, if `webhook.disabled` was published, and forgets that the webhook was disabled. The instant
 * is saved first, so that concurrent or repeated runs publish the same event, byte for byte. Events are delivered whether
 * or not this succeeds; then the next batch does it.
 */
async function enable(
  disabled: DisabledWebhook,
  { name }: Webhook,
  { stateStore, publisher, clock, telemetry }: WebhookPorts,
): Promise<void> {
  if (!disabled.told) return stateStore.saveDisabled(name, null);
  const saved =
    disabled.enabledAt === undefined
      ? await stateStore.replaceDisabled(name, disabled, { ...disabled, enabledAt: clock.now() })
      : disabled;
  // Gone, or disabled anew: another run did it.
  const text = saved?.url === disabled.url ? buildWebhookEnabledEvent(name, saved) : null;
  if (text === null) return;
  try {
    const { unpublished } = await publisher.publish([text]);
    if (unpublished.length === 0) await stateStore.saveDisabled(name, null);
  } catch (error) {
    telemetry.report({ outcome: 'delivery.interrupted', webhook: name, reason: describeFailure(error) });
  }
}
