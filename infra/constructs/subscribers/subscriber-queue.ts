import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type Part, toEventQueueName } from '#shared/config/part-names.ts';
import type { EventQueue } from '#shared/config/schema/queue.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { buildQueueProps, createDeadLetterQueue, GuardedQueue } from '../foundation/queues.ts';
import { buildFilterPolicy, type EventTopics, subscribeToEvents } from './event-subscriptions.ts';

export interface SubscriberQueueProps {
  readonly of: EventQueue;
  readonly topics: EventTopics;
  readonly encryptionKey: IKey | undefined;
  readonly alarmTopic: ITopic;
}

/** The longest that a Lambda that reads the queue may run: its mapping is refused with a shorter one. */
const VISIBILITY_TIMEOUT = Duration.minutes(5);
/** A message that failed so often fails for its contents; what failed for an outage is redriven after it. */
const MAX_RECEIVES = 5;
/** As long as a webhook may refuse an event before its alarm sounds. */
const FAILING_AFTER = Duration.minutes(30);

/**
 * A queue that gets events of topics (raw), with a dead-letter queue and alarms. An existing queue is only subscribed,
 * and the dead-letter queue takes what SNS cannot deliver to it.
 */
export class SubscriberQueue extends Construct {
  private readonly queueName: string;
  readonly queue: IQueue;
  readonly deadLetters: GuardedQueue;
  /** Published as parameters of the stack. */
  readonly parts: readonly Part[];

  constructor(scope: Construct, id: string, props: SubscriberQueueProps) {
    super(scope, id);
    const { of, topics, encryptionKey, alarmTopic } = props;
    this.queueName = toEventQueueName(Stack.of(this).stackName, of.name);
    const { queueArn } = of;
    this.deadLetters = createDeadLetterQueue(this, of.name, {
      key: encryptionKey,
      consumed: true,
      ofQueue: queueArn === undefined,
      alarmTopic,
    });
    // cdk-nag knows dead letters by their queue, and this one is not in the stack.
    if (queueArn !== undefined)
      Validations.of(this.deadLetters).acknowledge({
        id: 'AwsSolutions-SQS3',
        reason: 'it takes dead letters of subscriptions',
      });
    this.queue =
      queueArn === undefined ? this.createQueue(props) : Queue.fromQueueArn(this, 'Existing', queueArn);
    const path = `queues/queue-${of.name}`;
    this.parts = [
      [`${path}/url`, this.queue.queueUrl],
      [`${path}/dead-letters/url`, this.deadLetters.queueUrl],
    ];
    const filterPolicy = buildFilterPolicy(of.filter);
    subscribeToEvents(this, {
      topics,
      wanted: new Map(of.topics.map((name) => [name, filterPolicy])),
      endpoint: this.queue.queueArn,
      deadLetters: this.deadLetters,
    });
  }

  private createQueue({ of, topics, encryptionKey, alarmTopic }: SubscriberQueueProps): Queue {
    const queue = new GuardedQueue(this, 'Queue', {
      ...buildQueueProps(this.queueName, encryptionKey),
      visibilityTimeout: VISIBILITY_TIMEOUT,
      deadLetters: this.deadLetters,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
    queue.allowTopics(of.topics.map((name) => topics[name]));
    new NotifierAlarm(this, 'FailingAlarm', {
      alarm: 'receiver-failing',
      about: of.name,
      metric: queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(5),
        statistic: Stats.MAXIMUM,
      }),
      when: { atLeast: FAILING_AFTER.toSeconds() },
      alarmTopic,
    });
    return queue;
  }
}
