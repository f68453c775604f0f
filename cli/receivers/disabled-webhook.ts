import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { DisabledWebhook } from '#shared/core/webhooks/disabled-webhook.ts';
import type { Target } from '../targets/target.ts';

/** What a webhook answered that gets nothing any more; null when it gets its events. */
export async function findDisabledWebhook(
  webhook: string,
  { config, dynamoDb: client, tableName, system, redirects }: Target,
): Promise<DisabledWebhook | null> {
  const store = createWebhookStateStore({ client, tableName, sleep: system.sleep, random: system.random });
  const disabled = await store.loadDisabled(webhook);
  // Until it is told, events are still tried.
  if (disabled === null || !disabled.told) return null;
  const configured = config.webhooks.find(({ name }) => name === webhook);
  // Another address in the config is another endpoint; a machine's are not those of the config.
  const counts = redirects || configured === undefined || configured.url === disabled.url;
  return counts ? disabled : null;
}

/** How a webhook that is disabled gets events again. */
export function formatEnableCommand(webhook: string): string {
  return `npm run notifier -- enable-webhook ${webhook}`;
}

/** Throws a `NotifierError` (`webhook_disabled`) when what is sent to a webhook would reach nobody. */
export async function checkEnabled(webhook: string, target: Target): Promise<void> {
  const disabled = await findDisabledWebhook(webhook, target);
  if (disabled === null) return;
  const since = new Date(disabled.at).toISOString();
  throw new NotifierError(
    'webhook_disabled',
    `nothing was sent: webhook "${webhook}" answered ${disabled.reason} at ${since} and is disabled; ${formatEnableCommand(webhook)} lets it have events again`,
  );
}
