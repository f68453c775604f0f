import type { Alerting } from '#shared/config/alerting.ts';
import type { NotifierConfig } from '#shared/config/notifier-config.ts';
import { writeSetting } from '#shared/config/setting.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** Of the 4 KB that Lambda gives all variables together, what the others leave. */
const MOST_ALERTING_BYTES = 2_500;

/** What the functions for alerts are told of the config. Throws `config_invalid` when it is too much for them. */
export function alertingOf({ alerts, connections }: NotifierConfig): string {
  const zones = connections.map(({ name, timeZone }) => ({ name, timeZone }));
  const setting = writeSetting({ ...alerts, connections: zones } satisfies Alerting);
  if (setting.length <= MOST_ALERTING_BYTES) return setting;
  throw new NotifierError(
    'config_invalid',
    `alerts: rules and channels take ${setting.length} bytes of ${MOST_ALERTING_BYTES} when compressed; use fewer rules, such as one with a list in place of several`,
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
