import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  SubscriptionFilter as AttributeFilter,
  Subscription,
  type SubscriptionOptions,
  SubscriptionProtocol,
  type Topic,
} from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type EventTopicName, MESSAGE_ATTRIBUTES } from '#shared/config/names.ts';
import type { SubscriptionFilter } from '#shared/config/subscription.ts';

export type EventTopics = Readonly<Record<EventTopicName, Topic>>;
export type FilterPolicy = NonNullable<SubscriptionOptions['filterPolicy']>;

export interface EventSubscriptionsProps {
  readonly topics: EventTopics;
  /** Topics to subscribe to, each with the attributes that its messages must have; none when every message is wanted. */
  readonly wanted: ReadonlyMap<EventTopicName, FilterPolicy>;
  /** ARN of the queue that gets the messages. */
  readonly endpoint: string;
  /** Takes what SNS cannot deliver. */
  readonly deadLetters: Queue;
}

/** Subscribes a queue to topics of events. It gets each event as it is, without the envelope of SNS. */
export function subscribeToEvents(scope: Construct, props: EventSubscriptionsProps): void {
  const { topics, wanted, endpoint, deadLetters } = props;
  for (const [name, filterPolicy] of wanted) {
    new Subscription(scope, name, {
      topic: topics[name],
      protocol: SubscriptionProtocol.SQS,
      endpoint,
      rawMessageDelivery: true,
      deadLetterQueue: deadLetters,
      ...(Object.keys(filterPolicy).length === 0 ? {} : { filterPolicy }),
    });
  }
}

/** Lets these topics, and nobody else, send to a queue of ours. */
export function allowTopics(queue: Queue, topics: readonly Topic[]): void {
  queue.addToResourcePolicy(
    new PolicyStatement({
      sid: 'TopicsDeliver',
      principals: [new ServicePrincipal('sns.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': topics.map(({ topicArn }) => topicArn) } },
    }),
  );
}

/** The filter of a config as SNS takes it. */
export function filterPolicyOf(filter: SubscriptionFilter): FilterPolicy {
  const policy = Object.values(MESSAGE_ATTRIBUTES).flatMap((attribute): [string, AttributeFilter][] => {
    const wanted = filter[attribute];
    if (wanted === undefined) return [];
    const allowlist = typeof wanted === 'boolean' ? [String(wanted)] : [...wanted];
    return [[attribute, AttributeFilter.stringFilter({ allowlist })]];
  });
  return Object.fromEntries(policy);
}
