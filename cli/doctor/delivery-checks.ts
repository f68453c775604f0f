import { parseWebhookAddress } from '#shared/adapters/slack/webhook-address.ts';
import { parseSigningSecrets } from '#shared/adapters/webhook/signing-secret.ts';
import { findDisabledWebhook, formatEnableCommand } from '../receivers/disabled-webhook.ts';
import type { Target } from '../targets/target.ts';
import { type Finding, finding, ok, wrong } from './finding.ts';

/** Slack channels and webhooks of the config: their secrets, never shown, and whether an endpoint is disabled. */
export async function checkDeliveries(target: Target): Promise<Finding[]> {
  const { channels } = target.config.alerts;
  const slack = channels.filter((channel) => channel.kind === 'slack');
  const checks = [
    ...slack.map(({ name, secretName }) => {
      const about = `slack ${name}`;
      return finding(about, async () => {
        if (target.tellsPeople === false)
          return ok(about, 'this run tells no people; what is for them waits');
        const text = await target.readSecret(secretName)({ fresh: true });
        // A machine's own receiver has no certificate.
        parseWebhookAddress(text, { secretName, allowHttp: true });
        return ok(about, `the secret ${secretName} holds an address`);
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
    const since = new Date(disabled.at).toISOString();
    return wrong(about, `answered ${disabled.reason} at ${since} and is disabled`, formatEnableCommand(name));
  }
  const secrets = parseSigningSecrets(await target.readSecret(secretName)({ fresh: true }), secretName);
  const rotating = secrets.length > 1 ? ', and the one before it: a rotation is under way' : '';
  return ok(about, `the secret ${secretName} holds a signing secret${rotating}`);
}
