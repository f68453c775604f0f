import { Duration, Stack } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  SubscriptionFilter as AttributeFilter,
  type ITopic,
  Subscription as QueueSubscription,
  type SubscriptionOptions,
  SubscriptionProtocol,
  type Topic,
} from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type EventTopicName, MESSAGE_ATTRIBUTES } from '#shared/config/names.ts';
import type { Subscription, SubscriptionFilter } from '#shared/config/subscription.ts';
import { NotifierAlarm } from './notifier-alarm.ts';
import { createDeadLetterQueue, messagesIn, queueProps } from './queues.ts';

export interface SubscriberQueueProps {
  readonly subscription: Subscription;
  readonly topics: Readonly<Record<EventTopicName, Topic>>;
  readonly encryptionKey: IKey | undefined;
  readonly notify: ITopic;
}

/**
 * A queue that gets the events of some topics as they are (raw), with a dead-letter queue and alarms. When the queue
 * exists already, it is only subscribed, and the dead-letter queue takes what SNS cannot deliver to it.
 */
export class SubscriberQueue extends Construct {
  private readonly queueName: string;
  private readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, props: SubscriberQueueProps) {
    super(scope, id);
    const { subscription, topics, encryptionKey, notify } = props;
    this.queueName = `${Stack.of(this).stackName}-${subscription.name}`;
    this.deadLetterQueue = createDeadLetterQueue(this, `${this.queueName}-dead-letters`, encryptionKey);
    new NotifierAlarm(this, 'DeadLettersAlarm', {
      alarm: 'subscriber-dead-letters',
      about: subscription.name,
      metric: messagesIn(this.deadLetterQueue),
      when: { atLeast: 1 },
      notify,
    });
    const endpoint = subscription.queueArn ?? this.createQueue(props).queueArn;
    for (const name of subscription.topics) {
      new QueueSubscription(this, name, {
        topic: topics[name],
        protocol: SubscriptionProtocol.SQS,
        endpoint,
        rawMessageDelivery: true,
        deadLetterQueue: this.deadLetterQueue,
        ...filterPolicyOf(subscription.filter),
      });
    }
  }

  private createQueue({ subscription, topics, encryptionKey, notify }: SubscriberQueueProps): Queue {
    const { maxReceives, visibilityTimeoutSeconds, backlogMinutes } = subscription;
    const queue = new Queue(this, 'Queue', {
      ...queueProps(this.queueName, encryptionKey),
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: maxReceives },
    });
    const sources = subscription.topics.map((name) => topics[name].topicArn);
    queue.addToResourcePolicy(
      new PolicyStatement({
        sid: 'TopicsDeliver',
        principals: [new ServicePrincipal('sns.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': sources } },
      }),
    );
    new NotifierAlarm(this, 'BacklogAlarm', {
      alarm: 'subscriber-backlog',
      about: subscription.name,
      metric: queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(5),
        statistic: Stats.MAXIMUM,
      }),
      when: { atLeast: Duration.minutes(backlogMinutes).toSeconds() },
      notify,
    });
    return queue;
  }
}

/** The filter as SNS takes it: nothing when every event is wanted. */
function filterPolicyOf(filter: SubscriptionFilter): Pick<SubscriptionOptions, 'filterPolicy'> {
  const policy = Object.values(MESSAGE_ATTRIBUTES).flatMap((attribute): [string, AttributeFilter][] => {
    const wanted = filter[attribute];
    if (wanted === undefined) return [];
    const allowlist = typeof wanted === 'boolean' ? [String(wanted)] : [...wanted];
    return [[attribute, AttributeFilter.stringFilter({ allowlist })]];
  });
  return policy.length === 0 ? {} : { filterPolicy: Object.fromEntries(policy) };
}
