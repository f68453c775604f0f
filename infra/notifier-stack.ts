import { Stack, type StackProps } from 'aws-cdk-lib';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { AlertPipeline } from './constructs/alerts/alert-pipeline.ts';
import { Mailboxes } from './constructs/alerts/mailboxes.ts';
import { FlowDashboard } from './constructs/dashboard/flow-dashboard.ts';
import { Encryption } from './constructs/foundation/encryption.ts';
import { checkPolicyLengths } from './constructs/foundation/inline-policy-role.ts';
import type { StackContext } from './constructs/foundation/notifier-function.ts';
import { StackParameters } from './constructs/foundation/stack-parameters.ts';
import { StateTable } from './constructs/foundation/state-table.ts';
import { Topics } from './constructs/foundation/topics.ts';
import { PollTroubles } from './constructs/polling/poll-troubles.ts';
import { Poller } from './constructs/polling/poller.ts';
import { pairReceivers, Replayer } from './constructs/subscribers/replayer.ts';
import { SubscriberQueue } from './constructs/subscribers/subscriber-queue.ts';
import { WebhookEndpoint } from './constructs/webhooks/webhook-endpoint.ts';
import { warnOfPlaceholders } from './placeholders.ts';
import { checkQueueAccounts } from './settings.ts';
import { warnOfUnheardAlarms } from './unheard-alarms.ts';

export interface NotifierStackProps extends StackProps {
  readonly config: NotifierConfig;
  /** Account that it is deployed to, as far as that is known when it is synthesized. */
  readonly account?: string | undefined;
}

/**
 * Everything that runs in AWS, in the order of the data: what the stages share, the pollers with all stages from
 * schedule to publish, then the delivery to people and to systems, each from the topics, and replay.
 */
export class NotifierStack extends Stack {
  constructor(scope: Construct, { config, account, ...props }: NotifierStackProps) {
    if (account !== undefined) checkQueueAccounts(config, account);
    super(scope, config.stackName, { description: 'Workforce change notifier', ...props });
    warnOfPlaceholders(this, config);
    warnOfUnheardAlarms(this, config);

    // what the stages share: commits go to the table, events to the topics
    const encryption = new Encryption(this, 'Encryption', config.encryption);
    const { existingTable } = config;
    const table = new StateTable(this, 'State', { customerKey: encryption.customerKey, existingTable });
    const { subscriberAccounts } = config;
    const topics = new Topics(this, 'Topics', { encryption, subscriberAccounts });
    const alarmTopic = this.resolveAlarmTopic(topics, config);
    topics.addAlarms(alarmTopic);
    const context: StackContext = { config, encryption, table, alarmTopic };

    // schedule -> plan -> fetch -> compare -> commit -> publish
    const pollers = [
      new Poller(this, 'PollTimesheets', { feed: 'timesheets', context, topics }),
      new Poller(this, 'PollPayPeriods', { feed: 'pay-periods', context, topics }),
    ];
    new PollTroubles(this, 'PollTroubles', { config, alarmTopic });

    // deliver to people
    new Mailboxes(this, 'Mailboxes', { config, alerts: topics.alerts });
    const alertPipeline = new AlertPipeline(this, 'People', { context, topics });

    // deliver to systems
    const ofQueues = { topics: topics.events, encryptionKey: encryption.customerKey, alarmTopic };
    const subscribers = config.subscriptions.map(
      (each) => new SubscriberQueue(this, `Subscription-${each.name}`, { subscription: each, ...ofQueues }),
    );
    const webhooks = config.webhooks.map(
      (webhook) => new WebhookEndpoint(this, `Webhook-${webhook.name}`, { context, topics, webhook }),
    );

    // replay, and the names by which the command line finds all parts
    const replayer = new Replayer(this, 'Replay', {
      context,
      topics,
      receivers: [
        ...pairReceivers('subscription', config.subscriptions, subscribers),
        ...pairReceivers('webhook', config.webhooks, webhooks),
      ],
    });
    const findable = [...pollers, ...alertPipeline.functions, ...subscribers, ...webhooks, replayer];
    new StackParameters(this, 'Directory', { table, topics, parts: findable.flatMap(({ parts }) => parts) });

    // watch
    const flow = { config, table, topics, pollers, people: alertPipeline.functions, subscribers, webhooks };
    if (config.dashboard) new FlowDashboard(this, 'Flow', flow);
    checkPolicyLengths(this);
  }

  /** The topic for alarms: `alerts`, or an existing one. */
  private resolveAlarmTopic({ alerts }: Topics, { alarms }: NotifierConfig): ITopic {
    return alarms.topicArn === undefined ? alerts : Topic.fromTopicArn(this, 'AlarmTopic', alarms.topicArn);
  }
}
