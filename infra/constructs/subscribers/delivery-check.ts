import { Duration } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { CfnSubscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { Construct, IConstruct } from 'constructs';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import type { CheckRequestInput } from '#shared/config/requests/check-request.ts';
import { toLogPartition } from '#shared/config/table.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import { Schedules } from '../foundation/schedules.ts';
import type { Topics } from '../foundation/topics.ts';
import { Watch } from '../foundation/watch.ts';

export interface DeliveryCheckProps {
  readonly context: StackContext;
  readonly topics: Topics;
  /** Of queues to topics of events, all that the stack has. */
  readonly subscriptions: readonly CfnSubscription[];
}

/** The subscriptions of queues below a construct. */
export function listSubscriptions(scope: IConstruct): CfnSubscription[] {
  const all = scope.node.findAll().filter((each) => each instanceof CfnSubscription);
  return all.filter(({ protocol }) => protocol === SubscriptionProtocol.SQS);
}

/** So that each event is looked at twice (`CHECKED_MS`). A run reads the log of half an hour. */
const CHECK_EVERY = Duration.minutes(15);

/** Looks on a schedule whether what was published is tried, and whether who is to be subscribed is. */
export class DeliveryCheck extends NotifierFunction {
  constructor(scope: Construct, id: string, props: DeliveryCheckProps) {
    const { context, topics } = props;
    const { config, table, alarmTopic } = context;
    super(scope, id, {
      context,
      code: 'check-deliveries',
      description: 'Compares what was published and is wanted with what was tried',
      timeoutSeconds: 300,
      memoryMb: 512,
      environment: {},
      startedBy: 'invocation',
    });
    table.allowRead(
      this.role,
      config.connections.map(({ name }) => toLogPartition(name)),
      ['Query'],
    );
    topics.allowSeeingSubscribers(this.role);
    if (config.webhooks.length > 0) {
      table.allowReadingDeliveries(this.role, 'webhook/*');
      table.allowKeepingInterests(this.role);
    }
    this.schedule(props);
    new NotifierAlarm(this, 'WithheldAlarm', {
      alarm: 'deliveries-withheld',
      metric: this.metricWithheld(),
      when: { atLeast: 1 },
      alarmTopic,
    });
  }

  private schedule({ context: { config }, subscriptions }: DeliveryCheckProps): void {
    const request: CheckRequestInput = {
      connections: config.connections.map(({ name }) => name),
      webhooks: config.webhooks.map(({ name, topics, filter, paused }) => ({
        name,
        topics: [...topics],
        filter,
        paused,
      })),
      subscriptions: subscriptions.map(({ topicArn, endpoint = '' }) => ({ topicArn, endpoint })),
    };
    const schedules = new Schedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      schedule: ScheduleExpression.rate(CHECK_EVERY),
      inputs: new Map([['check', request]]),
    });
    // Nobody is missed before they are subscribed.
    schedules.node.addDependency(...subscriptions);
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
