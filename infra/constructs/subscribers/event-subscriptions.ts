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
import { type EventTopicName, FORMER_ATTRIBUTES, MESSAGE_ATTRIBUTES } from '#shared/config/names.ts';
import type { SubscriptionFilter } from '#shared/config/schema/subscription.ts';

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

/**
 * The filter of a config as SNS takes it. Who leaves a department or an organisation has the former value in an
 * attribute of its own: either one may match. With both given that makes four alternatives, since SNS takes one `$or`.
 */
export function buildFilterPolicy(filter: SubscriptionFilter): FilterPolicy {
  const placed = PLACES.flatMap((place): Alternatives[] => {
    const wanted = filter[place];
    return wanted === undefined ? [] : [[{ [place]: wanted }, { [FORMER_ATTRIBUTES[place]]: wanted }]];
  });
  const [first, ...others] = placed;
  return {
    ...buildPlainPolicy(filter),
    ...(first === undefined
      ? {}
      : {
          $or: new AttributeFilter(others.reduce(combineAlternatives, first).map((group) => ({ ...group }))),
        }),
  };
}

const PLACES = ['organisationId', 'departmentId'] as const satisfies (keyof typeof FORMER_ATTRIBUTES)[];
/** Groups of attributes, one of which must match as a whole. */
type Alternatives = readonly Readonly<Record<string, readonly string[]>>[];

function combineAlternatives(left: Alternatives, right: Alternatives): Alternatives {
  return left.flatMap((one) => right.map((other) => ({ ...one, ...other })));
}

/** What must hold whatever a timesheet left. */
function buildPlainPolicy(filter: SubscriptionFilter): FilterPolicy {
  const { type, connection, late } = MESSAGE_ATTRIBUTES;
  const policy = [type, connection, late].flatMap((attribute): [string, AttributeFilter][] => {
    const wanted = filter[attribute];
    if (wanted === undefined) return [];
    const allowlist = typeof wanted === 'boolean' ? [String(wanted)] : [...wanted];
    return [[attribute, AttributeFilter.stringFilter({ allowlist })]];
  });
  return Object.fromEntries(policy);
}
