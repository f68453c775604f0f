import { writeSetting } from '#shared/config/environment/setting.ts';
import type { Alerting } from '#shared/config/schema/alerting.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { Webhook } from '#shared/config/schema/webhook.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** Of the 4 KB that Lambda gives all variables together, what those leave that do not grow with the config. */
const MOST_BYTES = 3_400;
/** The same for a webhook, whose function is told three addresses more. */
const MOST_BYTES_OF_WEBHOOK = 3_000;
/** Of the address of a queue, what is neither the name of the stack nor that of the channel, in any region. */
const ADDRESS_BYTES = 95;

/** What the functions for alerts are told of the config. Throws `config_invalid` when it is too much for them. */
export function alertingOf({ stackName, alerts, connections }: NotifierConfig): string {
  const zones = connections.map(({ name, timeZone }) => ({ name, timeZone }));
  const setting = writeSetting({ ...alerts, connections: zones } satisfies Alerting);
  // Each Slack channel is a queue besides, by its name and address.
  const addresses = alerts.channels
    .filter(({ kind }) => kind === 'slack')
    .map(({ name }) => 2 * name.length + stackName.length + ADDRESS_BYTES);
  const most = MOST_BYTES - addresses.reduce((sum, bytes) => sum + bytes, 0);
  if (setting.length <= most) return setting;
  throw new NotifierError(
    'config_invalid',
    `alerts: rules and channels take ${setting.length} bytes of ${most} when compressed; use fewer rules, such as one with a list in place of several, or fewer Slack channels`,
  );
}

/** What the function of a webhook is told of it. Throws `config_invalid` when it is too much for it. */
export function webhookSettingOf(webhook: Webhook): string {
  const setting = writeSetting(webhook);
  if (setting.length <= MOST_BYTES_OF_WEBHOOK) return setting;
  throw new NotifierError(
    'config_invalid',
    `webhooks: "${webhook.name}" takes ${setting.length} bytes of ${MOST_BYTES_OF_WEBHOOK} when compressed; name fewer values in its filter, or make several webhooks of it`,
  );
}

/** Of the 80 characters of a queue's name, what `-dead-letters.fifo` leaves. Lambda takes two more. */
const LONGEST_NAME = 62;

/** What a function is called. Throws `config_invalid` when AWS would not take the names of its parts. */
export function serviceNameOf(stackName: string, name: string): string {
  const serviceName = `${stackName}-${name}`;
  if (serviceName.length <= LONGEST_NAME) return serviceName;
  throw new NotifierError(
    'config_invalid',
    `stackName: the function ${serviceName} has a name of ${serviceName.length} characters, at most ${LONGEST_NAME} fit; use a shorter stackName, or a shorter name of the channel or webhook`,
  );
}

/** Days that alerts and deliveries are remembered: as long as the longest memory of events. */
export function retentionDaysOf({ connections }: NotifierConfig): number {
  return Math.max(...connections.map(({ retentionDays }) => retentionDays));
}
