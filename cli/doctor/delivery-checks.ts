import { parseWebhookAddress } from '#shared/adapters/slack/webhook-address.ts';
import { parseSigningSecrets } from '#shared/adapters/webhook/signing-secret.ts';
import { toIso } from '#shared/core/dates.ts';
import { findDisabledWebhook, formatEnableCommand } from '../receivers/disabled-webhook.ts';
import type { Target } from '../targets/target.ts';
import { type Finding, finding, ok, wrong } from './finding.ts';

/** Checks the secrets of Slack channels and webhooks, without showing them, and whether a webhook is disabled. */
export async function checkDeliveries(target: Target): Promise<Finding[]> {
  const { channels } = target.config.alerts;
  const slack = channels.filter((channel) => channel.kind === 'slack');
  const checks = [
    ...slack.map(({ name, secretName }) => {
      const about = `slack ${name}`;
      return finding(about, async () => {
        if (target.tellsPeople === false) return ok(about, 'this run delivers no alerts; they wait');
        const text = await target.readSecret(secretName)({ fresh: true });
        // `npm start` has its own receiver, without TLS.
        parseWebhookAddress(text, { secretName, allowHttp: true });
        return ok(about, `the secret ${secretName} holds a webhook address`);
      });
    }),
    ...target.config.webhooks.map((webhook) => {
      const about = `webhook ${webhook.name}`;
      return finding(about, () => checkWebhook(about, webhook, target));
    }),
  ];
  return await Promise.all(checks);
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
