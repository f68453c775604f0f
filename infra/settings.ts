import { writeSetting } from '#shared/config/environment/setting.ts';
import type { Alerting } from '#shared/config/schema/alerting.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { Webhook } from '#shared/config/schema/webhook.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** Of the 4 KB that Lambda gives all variables together, what those leave that do not grow with the config. */
const MAX_SETTING_BYTES = 3_400;
/** The same for a webhook, whose function is told three addresses more. */
const MAX_WEBHOOK_SETTING_BYTES = 3_000;
/** Of the address of a queue, what is neither the name of the stack nor that of the channel, in any region. */
const QUEUE_URL_BYTES = 95;

/** What the functions for alerts are told of the config. Throws `config_invalid` when it is too much for them. */
export function writeAlertingSetting({ stackName, alerts, connections }: NotifierConfig): string {
  const zones = connections.map(({ name, timeZone }) => ({ name, timeZone }));
  const setting = writeSetting({ ...alerts, connections: zones } satisfies Alerting);
  // Each Slack channel is a queue besides, by its name and address.
  const addresses = alerts.channels
    .filter(({ kind }) => kind === 'slack')
    .map(({ name }) => 2 * name.length + stackName.length + QUEUE_URL_BYTES);
  const most = MAX_SETTING_BYTES - addresses.reduce((sum, bytes) => sum + bytes, 0);
  if (setting.length <= most) return setting;
  throw new NotifierError(
    'config_invalid',
    `alerts: rules and channels take ${setting.length} bytes of ${most} when compressed; use fewer rules, such as one with a list in place of several, or fewer Slack channels`,
  );
}

/** What the function of a webhook is told of it. Throws `config_invalid` when it is too much for it. */
export function writeWebhookSetting(webhook: Webhook): string {
  const setting = writeSetting(webhook);
  if (setting.length <= MAX_WEBHOOK_SETTING_BYTES) return setting;
  throw new NotifierError(
    'config_invalid',
    `webhooks: "${webhook.name}" takes ${setting.length} bytes of ${MAX_WEBHOOK_SETTING_BYTES} when compressed; name fewer values in its filter, or make several webhooks of it`,
  );
}

/** Of the 80 characters of a queue's name, what `-dead-letters.fifo` leaves. Lambda takes two more. */
const MAX_SERVICE_NAME_CHARACTERS = 62;

/** What a function is called. Throws `config_invalid` when AWS would not take the names of its parts. */
export function buildServiceName(stackName: string, name: string): string {
  const serviceName = `${stackName}-${name}`;
  if (serviceName.length <= MAX_SERVICE_NAME_CHARACTERS) return serviceName;
  throw new NotifierError(
    'config_invalid',
    `stackName: the function ${serviceName} has a name of ${serviceName.length} characters, at most ${MAX_SERVICE_NAME_CHARACTERS} fit; use a shorter stackName, or a shorter name of the channel or webhook`,
  );
}

/** Days that alerts and deliveries are remembered: as long as the longest memory of events. */
export function computeRetentionDays({ connections }: NotifierConfig): number {
  return Math.max(...connections.map(({ retentionDays }) => retentionDays));
}
