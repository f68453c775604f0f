import { Stack, type StackProps } from 'aws-cdk-lib';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { NotifierConfig } from '#shared/config/notifier-config.ts';
import { acknowledge } from './acknowledge.ts';
import { Directory } from './constructs/directory.ts';
import { Encryption } from './constructs/encryption.ts';
import { Poller } from './constructs/poller.ts';
import { StateTable } from './constructs/state-table.ts';
import { SubscriberQueue } from './constructs/subscriber-queue.ts';
import { Topics } from './constructs/topics.ts';

export interface NotifierStackProps extends StackProps {
  readonly config: NotifierConfig;
}

/**
 * Everything that runs in AWS. A poller goes the whole way from schedule to publish; what it needs on that way is
 * named before it: where it commits, where it publishes, who hears of trouble.
 */
export class NotifierStack extends Stack {
  constructor(scope: Construct, { config, ...props }: NotifierStackProps) {
    super(scope, config.stackName, { description: 'Workforce change notifier', ...props });
    const encryption = new Encryption(this, 'Encryption', config.encryption);

    // commit
    const table = new StateTable(this, 'State', encryption.ownKey);

    // publish
    const { subscriberAccounts } = config;
    const topics = new Topics(this, 'Topics', { encryption, subscriberAccounts });
    const notify = this.createAlarmTopic(topics, config);
    table.addAlarms(notify);
    topics.addAlarms(notify);

    // schedule -> plan -> fetch -> compare -> commit -> publish
    const shared = { config, encryption, table, topics, notify };
    new Poller(this, 'PollTimesheets', { feed: 'timesheets', ...shared });
    new Poller(this, 'PollPayPeriods', { feed: 'pay-periods', ...shared });

    // deliver
    for (const subscription of config.subscriptions) {
      new SubscriberQueue(this, `Subscription-${subscription.name}`, {
        subscription,
        topics: topics.events,
        encryptionKey: encryption.ownKey,
        notify,
      });
    }
    new Directory(this, 'Directory', { table, topics });
  }

  /** The topic that hears of alarms: `alerts`, or one that exists already. */
  private createAlarmTopic({ alerts }: Topics, { alarms }: NotifierConfig): ITopic {
    if (alarms.email !== undefined) {
      const mailbox = alerts.addSubscription(new EmailSubscription(alarms.email));
      acknowledge(
        mailbox,
        'SNSRedrivePolicy',
        'an alarm that no mailbox takes is still to be seen in CloudWatch',
      );
    }
    if (alarms.topicArn === undefined) return alerts;
    return Topic.fromTopicArn(this, 'AlarmTopic', alarms.topicArn);
  }
}
