import { parseWebhookAddress } from '#shared/adapters/chat/webhook-address.ts';
import { parseSigningSecrets } from '#shared/adapters/webhook/signing-secret.ts';
import { isChat } from '#shared/config/schema/channel.ts';
import { toIso } from '#shared/core/dates.ts';
import { findDisabledWebhook, formatEnableCommand } from '../receivers/disabled-webhook.ts';
import type { Target } from '../targets/target.ts';
import { type Finding, finding, ok, wrong } from './finding.ts';

/**
 * Checks the secrets of channels of Slack and Teams and of webhooks, without showing them, whether a webhook is disabled, and whether the
 * event bus exists.
 */
export async function checkDeliveries(target: Target): Promise<Finding[]> {
  const { channels } = target.config.alerts;
  const chats = channels.filter(isChat);
  const checks = [
    ...chats.map(({ kind, name, secretName }) => {
      const about = `${kind} ${name}`;
      return finding(about, async () => {
        if (target.tellsPeople === false) return ok(about, 'this run delivers no alerts; they wait');
        const text = await target.readSecret(secretName)({ fresh: true });
        // `npm start` has its own receiver, without TLS.
        parseWebhookAddress(text, { kind, secretName, allowHttp: true });
        return ok(about, `the secret ${secretName} holds a webhook address`);
      });
    }),
    ...target.config.webhooks.map((webhook) => {
      const about = `webhook ${webhook.name}`;
      return finding(about, () => checkWebhook(about, webhook, target));
    }),
    ...[target.config.eventBus ?? []].flat().map((eventBus) => {
      const about = `event bus ${eventBus}`;
      return finding(about, () => checkEventBus(about, eventBus, target));
    }),
  ];
  return await Promise.all(checks);
}

async function checkEventBus(about: string, eventBus: string, target: Target): Promise<Finding> {
  if (target.hasEventBus === undefined) return ok(about, 'npm start shows what would go on it');
  if (await target.hasEventBus(eventBus)) return ok(about, 'exists');
  const mend = 'create it, with its rules, or correct eventBus and deploy; its events wait until then';
  return wrong(about, 'does not exist in this account and region', mend);
}

async function checkWebhook(
  about: string,
  { name, secretName }: Target['config']['webhooks'][number],
  target: Target,
): Promise<Finding> {
  const disabled = await findDisabledWebhook(name, target);
  if (disabled !== null) {
    const since = toIso(disabled.at);
    return wrong(
      about,
      `answered ${disabled.reason} at ${since} and is disabled`,
      formatEnableCommand(name, target),
    );
  }
  const secrets = parseSigningSecrets(await target.readSecret(secretName)({ fresh: true }), secretName);
  const rotating = secrets.length > 1 ? ' and the previous one: a rotation is in progress' : '';
  return ok(about, `the secret ${secretName} holds a signing secret${rotating}`);
}
