import type { Construct } from 'constructs';
import { retentionDaysOf } from '#infra/settings.ts';
import { writeSetting } from '#shared/config/environment/setting.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { SlackChannel } from '#shared/config/schema/channel.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import type { Surroundings } from '../foundation/notifier-function.ts';
import { QueueFunction } from '../foundation/queue-function.ts';
import { allowSending, messagesIn } from '../foundation/queues.ts';

const LATE_SECONDS = 15 * 60;
const TIMEOUT_SECONDS = 60;
/** Somewhat more than the function has: a message is never with two of them. */
const GIVEN_OUT_AGAIN_SECONDS = 75;
const TRIED_FOR_SECONDS = 7_200;

export interface SlackDeliveryProps {
  readonly surroundings: Surroundings;
  readonly channel: SlackChannel;
}

/** Posts the messages of one Slack channel, in their order. */
export class SlackDelivery extends QueueFunction {
  constructor(scope: Construct, id: string, { surroundings, channel }: SlackDeliveryProps) {
    const { config, encryption, table, notify } = surroundings;
    const { name, secretName } = channel;
    super(scope, id, {
      surroundings,
      code: 'deliver-slack',
      name: `slack-${name}`,
      description: `Posts messages to the Slack channel ${name}`,
      // Slack may ask for a pause of half a minute.
      timeoutSeconds: TIMEOUT_SECONDS,
      memoryMb: 256,
      environment: {
        [ENVIRONMENT.channel]: writeSetting({ name, secretName }),
        [ENVIRONMENT.retentionDays]: String(retentionDaysOf(config)),
      },
      fifo: true,
      // Nobody behind a message is told as long as that one is hidden.
      givenOutAgainSeconds: GIVEN_OUT_AGAIN_SECONDS,
      // Two hours: Slack has its outages.
      maxReceives: TRIED_FOR_SECONDS / GIVEN_OUT_AGAIN_SECONDS,
    });
    this.function.addEnvironment(ENVIRONMENT.deadLetterQueueUrl, this.deadLetters.queueUrl);
    allowSending(this.role, [this.deadLetters]);
    encryption.allowSending(this.role);
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
