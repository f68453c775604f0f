import { Duration, Stack } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { SubscriptionFilter as AttributeFilter, type ITopic, type Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription, type SqsSubscriptionProps } from 'aws-cdk-lib/aws-sns-subscriptions';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { MESSAGE_ATTRIBUTES } from '#shared/config/names.ts';
import type { Subscription, SubscriptionFilter } from '#shared/config/subscription.ts';
import { NotifierAlarm } from './notifier-alarm.ts';
import { messagesIn, queueProps } from './queues.ts';

export interface SubscriberQueueProps {
  readonly subscription: Subscription;
  /** The topics it is subscribed to. */
  readonly topics: readonly Topic[];
  readonly encryptionKey: IKey | undefined;
  readonly notify: ITopic;
}

interface Receiver {
  readonly queue: IQueue;
  /** Takes what SNS could not deliver and what the subscriber could not work off. */
  readonly deadLetterQueue?: Queue;
}

/** A queue that gets the events of some topics as they are (raw), its dead-letter queue and its alarms. */
export class SubscriberQueue extends Construct {
  /** The queue we made, or the one the config names. */
  readonly queue: IQueue;

  constructor(scope: Construct, id: string, props: SubscriberQueueProps) {
    super(scope, id);
    const { queueArn, filter } = props.subscription;
    const { queue, ...deadLetterQueue }: Receiver =
      queueArn === undefined
        ? this.createQueues(props)
        : { queue: Queue.fromQueueArn(this, 'Queue', queueArn) };
    this.queue = queue;
    for (const topic of props.topics) {
      const options = { rawMessageDelivery: true, ...filterPolicyOf(filter), ...deadLetterQueue };
      topic.addSubscription(new SqsSubscription(queue, options));
    }
  }

  private createQueues({ subscription, encryptionKey, notify }: SubscriberQueueProps): Receiver {
    const { name, maxReceives, visibilityTimeoutSeconds, backlogMinutes } = subscription;
    const queueName = `${Stack.of(this).stackName}-${name}`;
    const deadLetterQueue = new Queue(
      this,
      'DeadLetters',
      queueProps(`${queueName}-dead-letters`, encryptionKey),
    );
    const queue = new Queue(this, 'Queue', {
      ...queueProps(queueName, encryptionKey),
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: maxReceives },
    });
    new NotifierAlarm(this, 'DeadLettersAlarm', {
      alarm: 'subscriber-dead-letters',
      about: name,
      metric: messagesIn(deadLetterQueue),
      when: { atLeast: 1 },
      notify,
    });
    new NotifierAlarm(this, 'BacklogAlarm', {
      alarm: 'subscriber-backlog',
      about: name,
      metric: queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(5),
        statistic: Stats.MAXIMUM,
      }),
      when: { atLeast: Duration.minutes(backlogMinutes).toSeconds() },
      notify,
    });
    return { queue, deadLetterQueue };
  }
}

/** The filter as SNS takes it: nothing when every event is wanted. */
function filterPolicyOf(filter: SubscriptionFilter): Pick<SqsSubscriptionProps, 'filterPolicy'> {
  const policy = Object.values(MESSAGE_ATTRIBUTES).flatMap((attribute): [string, AttributeFilter][] => {
    const wanted = filter[attribute];
    if (wanted === undefined) return [];
    const allowlist = typeof wanted === 'boolean' ? [String(wanted)] : [...wanted];
    return [[attribute, AttributeFilter.stringFilter({ allowlist })]];
  });
  return policy.length === 0 ? {} : { filterPolicy: Object.fromEntries(policy) };
}
