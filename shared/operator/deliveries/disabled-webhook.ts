import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { type DisabledWebhook, markEnabled } from '#shared/systems/disabled-webhook.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { type Target, toTableOptions } from '../target.ts';

/** Why and when a webhook was disabled; null when it is enabled. */
export async function findDisabledWebhook(webhook: string, target: Target): Promise<DisabledWebhook | null> {
  const { config, redirects } = target;
  const store = createWebhookStateStore(toTableOptions(target));
  const disabled = await store.loadDisabled(webhook);
  // Deliveries continue until that is published.
  if (disabled === null || !disabled.told || disabled.enabledAt !== undefined) return null;
  const configured = config.webhooks.find(({ name }) => name === webhook);
  // Another address in the config is another endpoint. With `npm start` the addresses are not those of the config.
  const counts = redirects || configured === undefined || configured.url === disabled.url;
  return counts ? disabled : null;
}

/** The command that has a webhook get events again. */
export function formatResumeCommand(webhook: string, target: Pick<Target, 'placeOptions'>): string {
  return formatCommand(target, 'deliveries', '--to', webhook, '--resend');
}

/** Has a disabled webhook get events again: with the next one for it, that is told. */
export async function resumeWebhook(webhook: string, target: Target): Promise<void> {
  const disabled = await findDisabledWebhook(webhook, target);
  if (disabled === null) return;
  await createWebhookStateStore(toTableOptions(target)).saveDisabled(
    webhook,
    markEnabled(disabled, Date.now()),
  );
}

/** Throws a `NotifierError` (`webhook_disabled`) when a webhook is disabled. */
export async function checkEnabled(webhook: string, target: Target): Promise<void> {
  const disabled = await findDisabledWebhook(webhook, target);
  if (disabled === null) return;
  const since = toIso(disabled.at);
  throw new NotifierError(
    'webhook_disabled',
    `nothing was sent: webhook "${webhook}" answered ${disabled.reason} at ${since} and is disabled; ${formatResumeCommand(webhook, target)} has it get events again`,
  );
}
