import type { Construct } from 'constructs';
import type { SlackChannel } from '#shared/config/channel.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { writeSetting } from '#shared/config/setting.ts';
import { retentionDaysOf } from '../settings.ts';
import { NotifierAlarm } from './notifier-alarm.ts';
import type { Surroundings } from './notifier-function.ts';
import { QueueFunction } from './queue-function.ts';
import { messagesIn } from './queues.ts';

const LATE_SECONDS = 15 * 60;

export interface SlackDeliveryProps {
  readonly surroundings: Surroundings;
  readonly channel: SlackChannel;
}

/** Posts the messages of one Slack channel, in their order. */
export class SlackDelivery extends QueueFunction {
  constructor(scope: Construct, id: string, { surroundings, channel }: SlackDeliveryProps) {
    const { config, table, notify } = surroundings;
    const { name, secretName } = channel;
    super(scope, id, {
      surroundings,
      code: 'deliver-slack',
      name: `slack-${name}`,
      description: `Posts messages to the Slack channel ${name}`,
      // Slack may ask for a pause of half a minute.
      timeoutSeconds: 60,
      memoryMb: 256,
      environment: {
        [ENVIRONMENT.channel]: writeSetting({ name, secretName }),
        [ENVIRONMENT.retentionDays]: String(retentionDaysOf(config)),
      },
      fifo: true,
      // With the visibility timeout about two hours: Slack has its outages.
      maxReceives: 20,
    });
    table.allowNotingDeliveries(this.role);
    this.allowReadingSecrets([secretName]);
    new NotifierAlarm(this, 'DeadLettersAlarm', {
      alarm: 'slack-dead-letters',
      about: name,
      metric: messagesIn(this.deadLetters),
      when: { atLeast: 1 },
      notify,
    });
    new NotifierAlarm(this, 'LateAlarm', {
      alarm: 'slack-late',
      about: name,
      metric: this.ageOfOldest(),
      when: { atLeast: LATE_SECONDS },
      notify,
    });
  }
}
