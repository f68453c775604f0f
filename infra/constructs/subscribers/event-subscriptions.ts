import {
  Subscription,
  SubscriptionFilter,
  type SubscriptionOptions,
  SubscriptionProtocol,
  type Topic,
} from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type EventTopicName, FORMER_ATTRIBUTES, MESSAGE_ATTRIBUTES } from '#shared/config/names.ts';
import type { EventFilter } from '#shared/config/schema/event-filter.ts';
import { SNAPSHOT_TYPES } from '#shared/core/event-types.ts';
import type { GuardedQueue } from '../foundation/queues.ts';

export type EventTopics = Readonly<Record<EventTopicName, Topic>>;
export type FilterPolicy = NonNullable<SubscriptionOptions['filterPolicy']>;

export interface EventSubscriptionsProps {
  readonly topics: EventTopics;
  /** Topics to subscribe to, with filter policies; an empty policy passes everything. */
  readonly wanted: ReadonlyMap<EventTopicName, FilterPolicy>;
  /** ARN of the queue. */
  readonly endpoint: string;
  /** Takes messages that SNS cannot deliver. */
  readonly deadLetters: GuardedQueue;
}

/** Subscribes a queue to topics of events, without the envelope of SNS. */
export function subscribeToEvents(scope: Construct, props: EventSubscriptionsProps): void {
  const { topics, wanted, endpoint, deadLetters } = props;
  deadLetters.admitTopics([...wanted.keys()].map((name) => topics[name]));
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

/**
 * The filter of a config as an SNS policy. A timesheet that leaves a department or an organisation has the former value
 * in a second attribute, and either may match. SNS allows one `$or`, so both places together make four alternatives.
 */
export function buildFilterPolicy(filter: EventFilter): FilterPolicy {
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
          $or: new SubscriptionFilter(
            others.reduce(combineAlternatives, first).map((group) => ({ ...group })),
          ),
        }),
  };
}

const PLACES = ['organisationId', 'departmentId'] as const satisfies (keyof typeof FORMER_ATTRIBUTES)[];
/** Groups of attributes, one of which must match as a whole. */
type Alternatives = readonly Readonly<Record<string, readonly string[]>>[];

function combineAlternatives(left: Alternatives, right: Alternatives): Alternatives {
  return left.flatMap((one) => right.map((other) => ({ ...one, ...other })));
}

/**
 * The part of the policy without organisation and department. Snapshots, which a restored table publishes, are for
 * everybody who wants events of their records; one that wants late changes alone would not match them.
 */
function buildPlainPolicy(filter: EventFilter): FilterPolicy {
  const { type, connection, late } = MESSAGE_ATTRIBUTES;
  const policy = [type, connection, late].flatMap((attribute): [string, SubscriptionFilter][] => {
    const wanted = filter[attribute];
    if (wanted === undefined) return [];
    const values = typeof wanted === 'boolean' ? [String(wanted)] : [...wanted];
    const allowlist =
      attribute === type && filter.late !== true ? [...new Set([...values, ...SNAPSHOT_TYPES])] : values;
    return [[attribute, SubscriptionFilter.stringFilter({ allowlist })]];
  });
  return Object.fromEntries(policy);
}
