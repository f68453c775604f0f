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

/** A queue that gets the events of some topics as they are (raw), its dead-letter queue and its alarms. */
export class SubscriberQueue extends Construct {
  constructor(scope: Construct, id: string, props: SubscriberQueueProps) {
    super(scope, id);
    const { queueArn, topics, filter } = props.subscription;
    const receiver = queueArn === undefined ? this.createQueues(props) : { endpoint: queueArn };
    for (const name of topics) {
      new QueueSubscription(this, name, {
        topic: props.topics[name],
        protocol: SubscriptionProtocol.SQS,
        rawMessageDelivery: true,
        ...filterPolicyOf(filter),
        ...receiver,
      });
    }
  }

  private createQueues({ subscription, topics, encryptionKey, notify }: SubscriberQueueProps) {
    const { name, maxReceives, visibilityTimeoutSeconds, backlogMinutes } = subscription;
    const queueName = `${Stack.of(this).stackName}-${name}`;
    const deadLetterQueue = createDeadLetterQueue(this, `${queueName}-dead-letters`, encryptionKey);
    const queue = new Queue(this, 'Queue', {
      ...queueProps(queueName, encryptionKey),
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: maxReceives },
    });
    queue.addToResourcePolicy(
      new PolicyStatement({
        sid: 'TopicsDeliver',
        principals: [new ServicePrincipal('sns.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: {
          ArnEquals: { 'aws:SourceArn': subscription.topics.map((topic) => topics[topic].topicArn) },
        },
      }),
    );
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
    // It takes what SNS could not deliver, and what the subscriber could not work off.
    return { endpoint: queue.queueArn, deadLetterQueue };
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
