import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { planConcurrency } from '#shared/config/concurrency.ts';
import { ENVIRONMENT, EVENT_TOPIC_NAMES, METRICS } from '#shared/config/names.ts';
import { readBusPlace } from '#shared/config/schema/event-bus.ts';
import type { StackContext } from '../foundation/notifier-function.ts';
import { QueueFunction } from '../foundation/queue-function.ts';
import { allowSending } from '../foundation/queues.ts';
import type { Topics } from '../foundation/topics.ts';
import { subscribeToEvents } from '../subscribers/event-subscriptions.ts';

const TIMEOUT_SECONDS = 60;
/** How long events wait for a bus before they become dead letters: three days and a half of tries. */
const MAX_RECEIVES = 1_000;
const VISIBILITY_TIMEOUT_SECONDS = 300;

interface EventBusDeliveryProps {
  readonly context: StackContext;
  readonly topics: Topics;
  /** Name or ARN of the bus. */
  readonly eventBus: string;
}

/** The delivery to the bus of the config; none without one. */
export function createBusDeliveries(
  scope: Construct,
  { context, topics }: Omit<EventBusDeliveryProps, 'eventBus'>,
): readonly EventBusDelivery[] {
  const { eventBus } = context.config;
  return eventBus === undefined
    ? []
    : [new EventBusDelivery(scope, 'EventBus', { context, topics, eventBus })];
}

/** Puts all events on a bus of EventBridge (ADR 21). Rules choose there, so nothing is filtered here. */
export class EventBusDelivery extends QueueFunction {
  constructor(scope: Construct, id: string, { context, topics, eventBus }: EventBusDeliveryProps) {
    const { config, encryption } = context;
    super(scope, id, {
      context,
      code: 'deliver-to-bus',
      name: 'event-bus',
      description: `Puts events on the bus ${readBusPlace(eventBus)?.name ?? eventBus}`,
      timeoutSeconds: TIMEOUT_SECONDS,
      memoryMb: 256,
      environment: { [ENVIRONMENT.eventBus]: eventBus },
      withoutTable: true,
      maxReceives: MAX_RECEIVES,
      visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
      maxConcurrency: planConcurrency(config).perQueue,
    });
    this.function.addEnvironment(ENVIRONMENT.deadLetterQueueUrl, this.deadLetters.queueUrl);
    this.allowPutting(eventBus);
    allowSending(this.role, [this.deadLetters]);
    encryption.allowSending(this.role);
    subscribeToEvents(this, {
      topics: topics.events,
      wanted: new Map(EVENT_TOPIC_NAMES.map((name) => [name, {}])),
      endpoint: this.queue.queueArn,
      deadLetters: this.deadLetters,
    });
    this.queue.allowTopics(EVENT_TOPIC_NAMES.map((name) => topics.events[name]));
    this.addAlarms(context.alarmTopics);
  }

  private allowPutting(eventBus: string): void {
    const isArn = readBusPlace(eventBus) !== null;
    const arn = isArn
      ? eventBus
      : Stack.of(this).formatArn({ service: 'events', resource: 'event-bus', resourceName: eventBus });
    this.role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'PutEvents',
        // A bus that does not exist takes events without a word, so the function looks it up.
        actions: ['events:DescribeEventBus', 'events:PutEvents'],
        resources: [arn],
      }),
    );
  }

  private addAlarms(alarmTopics: StackContext['alarmTopics']): void {
    this.addQueueAlarms({ deadLetters: 'bus-dead-letters', late: 'bus-late', alarmTopics });
    this.addErrorsAlarm({
      alarm: 'bus-errors',
      metricName: METRICS.busFaults,
      outcome: 'events.forwarded',
      alarmTopics,
    });
  }
}
