import { Duration } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { CfnSubscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { EVENT_TOPIC_NAMES, METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import type { CheckRequestInput } from '#shared/config/requests/check-request.ts';
import type { StartRequestInput } from '#shared/config/requests/replay-request.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { readGeneration } from '#shared/config/schema/start-with.ts';
import type { Subscription } from '#shared/config/schema/subscription.ts';
import type { Webhook } from '#shared/config/schema/webhook.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import { allowSending } from '../foundation/queues.ts';
import { Schedules } from '../foundation/schedules.ts';
import type { Topics } from '../foundation/topics.ts';
import { Watch } from '../foundation/watch.ts';

/** A subscription or a webhook, with its queue. */
export interface ReplayReceiver {
  /** Such as `webhook-payroll`. */
  readonly name: string;
  readonly settings: Pick<Subscription | Webhook, 'topics' | 'filter' | 'startWith'>;
  /** Holds the queue and its subscriptions to topics. */
  readonly construct: Construct & { readonly queue: IQueue };
}

export interface ReplayerProps {
  readonly context: StackContext;
  readonly topics: Topics;
  /** Queues that a replay may target. */
  readonly queues: readonly IQueue[];
  /** Those of them that may get snapshots. */
  readonly receivers: readonly ReplayReceiver[];
  /** Of queues to topics of events, all that the stack has. */
  readonly subscriptions: readonly CfnSubscription[];
}

type Target = ReplayReceiver['construct'];

/** The subscriptions of queues below a construct. */
export function listSubscriptions(scope: IConstruct): CfnSubscription[] {
  const all = scope.node.findAll().filter((each) => each instanceof CfnSubscription);
  return all.filter(({ protocol }) => protocol === SubscriptionProtocol.SQS);
}

/** What a replay may target, of a config and its constructs, which are in the same order. */
export function listTargets(
  config: Pick<NotifierConfig, 'subscriptions' | 'webhooks'>,
  constructs: Readonly<Record<'subscribers' | 'webhooks', readonly Target[]>>,
): Pick<ReplayerProps, 'queues' | 'receivers'> {
  const { subscribers, webhooks } = constructs;
  return {
    queues: [...subscribers, ...webhooks].map(({ queue }) => queue),
    receivers: [
      ...pair('subscription', config.subscriptions, subscribers),
      ...pair('webhook', config.webhooks, webhooks),
    ],
  };
}

function pair(
  kind: 'subscription' | 'webhook',
  settings: readonly (ReplayReceiver['settings'] & { readonly name: string })[],
  constructs: readonly Target[],
): ReplayReceiver[] {
  return constructs.flatMap((construct, index) => {
    const own = settings[index];
    return own === undefined ? [] : [{ name: `${kind}-${own.name}`, settings: own, construct }];
  });
}

/** Often enough for somebody who waits for it; while nothing is to be sent, a run reads one item for each receiver. */
const START_EVERY = Duration.minutes(5);
/** So that each event is looked at twice (`CHECKED_MS`). A run reads the log of half an hour. */
const CHECK_EVERY = Duration.minutes(15);

/**
 * Publishes logged events again, to the topics or to one queue, and sends the state of records to one queue. The command
 * line invokes it, and a schedule for receivers that start with a snapshot. Another schedule has it check that what was
 * published is tried.
 */
export class Replayer extends NotifierFunction {
  constructor(scope: Construct, id: string, props: ReplayerProps) {
    const { context, topics, queues, receivers, subscriptions } = props;
    const { config, encryption, table } = context;
    super(scope, id, {
      context,
      code: 'replay-events',
      description: 'Publishes logged events again, and sends snapshots of records',
      timeoutSeconds: 300,
      memoryMb: 512,
      environment: topics.environment,
      startedBy: 'invocation',
    });
    const connections = config.connections.map(({ name }) => name);
    table.allowRead(
      this.role,
      connections.map((name) => `${name}#*#events#*`),
      ['Query'],
    );
    topics.allowPublish(this.role, EVENT_TOPIC_NAMES);
    if (receivers.length > 0) table.allowReadingRecords(this.role, connections);
    if (queues.length > 0) {
      allowSending(this.role, queues);
      encryption.allowSending(this.role);
    }
    const schedules = subscriptions.length === 0 ? null : this.check(props);
    const starting = receivers.filter(({ settings }) => settings.startWith !== undefined);
    if (schedules !== null && starting.length > 0) this.start(starting, schedules, context);
    this.addAlarms({ checks: schedules !== null, starts: starting.length > 0 }, context);
  }

  /** Has it look whether what was published is tried, and whether who is to be subscribed is. */
  private check({ context, topics, subscriptions }: ReplayerProps): Schedules {
    const { config, table } = context;
    const request: CheckRequestInput = {
      kind: 'check',
      connections: config.connections.map(({ name }) => name),
      webhooks: config.webhooks.map(({ name, topics: wanted, filter, paused }) => ({
        name,
        topics: [...wanted],
        filter,
        paused,
      })),
      subscriptions: subscriptions.map(({ topicArn, endpoint = '' }) => ({ topicArn, endpoint })),
    };
    topics.allowSeeingSubscribers(this.role);
    if (config.webhooks.length > 0) {
      table.allowReadingDeliveries(this.role, 'webhook/*');
      table.allowStarting(this.role);
    }
    const schedules = new Schedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      schedule: ScheduleExpression.rate(CHECK_EVERY),
      inputs: new Map([['check', request]]),
    });
    // Nobody is missed before they are subscribed.
    schedules.node.addDependency(...subscriptions);
    return schedules;
  }

  private start(
    starting: readonly ReplayReceiver[],
    schedules: Schedules,
    { config, table }: StackContext,
  ): void {
    table.allowStarting(this.role);
    const request: StartRequestInput = {
      kind: 'start',
      connections: config.connections.map(({ name }) => name),
      receivers: starting.flatMap(({ name, settings, construct }) => {
        const { topics, filter, startWith } = settings;
        if (startWith === undefined) return [];
        const interest = { topics: [...topics], filter };
        return [
          { name, generation: readGeneration(startWith), queueUrl: construct.queue.queueUrl, interest },
        ];
      }),
    };
    schedules.add(ScheduleExpression.rate(START_EVERY), new Map([['start', request]]));
    // A receiver is subscribed before its snapshot is taken, or what is published in between would reach it neither way.
    schedules.node.addDependency(...starting.map(({ construct }) => construct));
  }

  /**
   * Failures of starts are heard of when they go on; whoever runs a command sees its own. Without starts only a check
   * leaves dead letters, or somebody who does not wait for the answer, and one is enough.
   */
  private addAlarms(
    { checks, starts }: { readonly checks: boolean; readonly starts: boolean },
    { alarmTopics }: StackContext,
  ): void {
    if (starts)
      new NotifierAlarm(this, 'FailingAlarm', {
        alarm: 'replay-failing',
        metric: this.metricOf('Errors', START_EVERY),
        when: { atLeast: 1 },
        periods: 2,
        of: 3,
        alarmTopics,
      });
    if (checks)
      new NotifierAlarm(this, 'WithheldAlarm', {
        alarm: 'deliveries-withheld',
        metric: this.metricWithheld(),
        when: { atLeast: 1 },
        alarmTopics,
      });
    this.addRequestsAlarm({
      alarm: 'replay-dead-letters',
      ...(starts ? {} : { atLeast: 1 }),
      alarmTopics,
    });
  }

  /** Of each run, a line for each receiver that misses events; it has data only then. */
  private metricWithheld(): IMetric {
    const filter = new MetricFilter(Watch.placeFor(this), 'Withheld', {
      logGroup: this.log,
      filterPattern: FilterPattern.stringValue('$.outcome', '=', 'deliveries.withheld'),
      metricNamespace: METRIC_NAMESPACE,
      metricName: METRICS.withheld,
      metricValue: '1',
      dimensions: { [METRIC_DIMENSIONS.service]: '$.service' },
    });
    return filter.metric({
      period: CHECK_EVERY,
      statistic: Stats.SUM,
      dimensionsMap: { [METRIC_DIMENSIONS.service]: this.serviceName },
    });
  }
}
