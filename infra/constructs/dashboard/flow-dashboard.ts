import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  Metric,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { partsPrefixOf } from '#infra/settings.ts';
import { EVENT_TOPIC_NAMES, METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { isLogged, PUBLISHED_TYPES } from '#shared/core/event-types.ts';
import type { EventBusDelivery } from '../event-bus/event-bus-delivery.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import type { NotifierFunction } from '../foundation/notifier-function.ts';
import { QueueFunction } from '../foundation/queue-function.ts';
import type { StateTable } from '../foundation/state-table.ts';
import type { Topics } from '../foundation/topics.ts';
import type { Poller } from '../polling/poller.ts';
import type { SubscriberQueue } from '../subscribers/subscriber-queue.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';

export interface FlowDashboardProps {
  readonly config: NotifierConfig;
  readonly table: StateTable;
  readonly topics: Topics;
  readonly pollers: readonly Poller[];
  /** The functions between topics and people. */
  readonly people: readonly NotifierFunction[];
  readonly subscribers: readonly SubscriberQueue[];
  readonly webhooks: readonly WebhookEndpoint[];
  /** One, or none. */
  readonly buses: readonly EventBusDelivery[];
}

/** The queues of one receiver of events. */
interface Receiver {
  readonly queue: IQueue;
  readonly deadLetters: IQueue;
}

/**
 * The flow in one picture, from the top down. What only the log has is queried there when somebody opens it, so that no
 * metric is paid for that nothing watches. AWS's own metrics cost nothing.
 */
export class FlowDashboard extends Construct {
  private readonly props: FlowDashboardProps;

  constructor(scope: Construct, id: string, props: FlowDashboardProps) {
    super(scope, id);
    this.props = props;
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: partsPrefixOf(this) });
    for (const section of [
      this.describeAlarms(),
      this.describePolls(),
      this.describeChanges(),
      this.describePublishing(),
      this.describeQueues(),
      this.describeReceivers(),
      this.describeCosts(),
    ]) {
      const [heading, ...widgets] = section;
      if (heading === undefined) continue;
      dashboard.addWidgets(heading);
      // Two in a row.
      for (let at = 0; at < widgets.length; at += 2) dashboard.addWidgets(...widgets.slice(at, at + 2));
    }
  }

  private describeAlarms(): IWidget[] {
    const all = (this.node.scope ?? this).node.findAll();
    const alarms = all
      .filter((construct) => construct instanceof NotifierAlarm)
      .map(({ fixedArn }, at) => Alarm.fromAlarmArn(this, `Alarm${at}`, fixedArn));
    const widgets: IWidget[] = [];
    for (let at = 0; at < alarms.length; at += MAX_ALARMS)
      widgets.push(createAlarmStatus(alarms.slice(at, at + MAX_ALARMS)));
    return [createHeading('Alarms', 'docs/runbook.md has a chapter for each, by its name.'), ...widgets];
  }

  private describePolls(): IWidget[] {
    const { config, pollers } = this.props;
    const completed = config.connections.map(({ name }) =>
      this.metric(METRICS.completedFeed, Stats.SAMPLE_COUNT, { [METRIC_DIMENSIONS.connection]: name }),
    );
    const failing = pollers.flatMap(({ feed, function: poller, schedules }) => [
      poller.metricErrors({ period: PERIOD, label: `${feed}: errors` }),
      poller.metricThrottles({ period: PERIOD, label: `${feed}: throttled` }),
      schedules.group.metricTargetErrors({
        period: PERIOD,
        statistic: Stats.SUM,
        label: `${feed}: not started`,
      }),
    ]);
    return [
      createHeading('Plan and fetch', 'Each feed is polled every minute, and reads what is due.'),
      createGraph('Complete polls of both feeds', completed),
      createGraph('Polls that failed or could not start', failing),
      this.queryPolls(QUERIES.polls),
      this.queryPolls(QUERIES.requests),
      createGraph('Late dates, in seconds, and dates that cannot be read', [
        this.metric(METRICS.worstLateSeconds, Stats.MAXIMUM),
        this.metric(METRICS.unreadableSlices, Stats.MAXIMUM),
      ]),
    ];
  }

  private describeChanges(): IWidget[] {
    const { pollers } = this.props;
    const waiting = pollers.map(({ feed }) =>
      this.metric(METRICS.eventsWaiting, Stats.MAXIMUM, { [METRIC_DIMENSIONS.feed]: feed }),
    );
    return [
      createHeading('Compare and commit', 'What changed, what cannot be read, and what waits in the outbox.'),
      this.queryPolls(QUERIES.changes),
      createGraph('Scans in another form', [this.metric(METRICS.formChanged, Stats.SUM)]),
      createGraph('Outbox: events that wait, and events given up', [
        ...waiting,
        this.metric(METRICS.publishFailed, Stats.SUM),
      ]),
      this.queryPolls(QUERIES.lag),
    ];
  }

  private describePublishing(): IWidget[] {
    const { topics } = this.props;
    const sum = (name: string) => ({ period: PERIOD, statistic: Stats.SUM, label: name });
    return [
      createHeading('Publish', 'What went out to the topics, and what a topic could not deliver.'),
      createGraph(
        'Events published by topic',
        EVENT_TOPIC_NAMES.map((name) => topics.events[name].metricNumberOfMessagesPublished(sum(name))),
      ),
      createGraph(
        'Not delivered to a subscriber, by topic',
        EVENT_TOPIC_NAMES.map((name) => topics.events[name].metricNumberOfNotificationsFailed(sum(name))),
      ),
      this.queryPolls(QUERIES.types),
    ];
  }

  private describeQueues(): IWidget[] {
    const receivers = this.listReceivers();
    if (receivers.length === 0) return [];
    const largest = { period: PERIOD, statistic: Stats.MAXIMUM };
    return [
      createHeading('Queues', 'Messages that wait, and those that were given up.'),
      createGraph(
        'Waiting messages',
        receivers.map(({ queue }) => queue.metricApproximateNumberOfMessagesVisible(largest)),
      ),
      createGraph(
        'Dead letters',
        [...receivers, ...this.props.pollers].map(({ deadLetters }) =>
          deadLetters.metricApproximateNumberOfMessagesVisible(largest),
        ),
      ),
    ];
  }

  private describeReceivers(): IWidget[] {
    const { config, people, webhooks, buses } = this.props;
    const releases = people.filter(({ parts }) => parts.some(([path]) => path.includes('release-alerts')));
    const widgets = [
      ...(webhooks.length === 0 ? [] : [createQuery(QUERIES.deliveries, listLogs(webhooks))]),
      ...(buses.length === 0 ? [] : [createQuery(QUERIES.forwarded, listLogs(buses))]),
      ...(releases.length === 0 ? [] : [createQuery(QUERIES.alerts, listLogs(releases))]),
    ];
    if (widgets.length === 0) return [];
    const channels = config.alerts.channels.map(({ name }) => name).join(', ');
    return [createHeading('Deliver', `To systems, and to people: ${channels || 'no channel'}.`), ...widgets];
  }

  private describeCosts(): IWidget[] {
    const { pollers, people, webhooks, buses, table } = this.props;
    const sum = { period: PERIOD, statistic: Stats.SUM };
    const { table: state } = table;
    return [
      createHeading('Cost drivers', 'docs/cost.md has the model.'),
      createGraph(
        'Milliseconds of functions, as Lambda bills them',
        [...pollers, ...people, ...webhooks, ...buses].map(({ function: each }) => each.metricDuration(sum)),
      ),
      createGraph('Units of DynamoDB', [
        state.metricConsumedReadCapacityUnits(sum),
        state.metricConsumedWriteCapacityUnits(sum),
      ]),
      createGraph('Refused by DynamoDB', [
        state.metric('ReadThrottleEvents', sum),
        state.metric('WriteThrottleEvents', sum),
      ]),
    ];
  }

  private listReceivers(): Receiver[] {
    const { people, subscribers, webhooks, buses } = this.props;
    return [...people.filter((each) => each instanceof QueueFunction), ...subscribers, ...webhooks, ...buses];
  }

  private queryPolls(query: LogQuery): IWidget {
    return createQuery(query, listLogs(this.props.pollers));
  }

  /** A metric of polls, with the dimensions that its alarm has. */
  private metric(metricName: string, statistic: string, dimensions: Record<string, string> = {}): IMetric {
    return new Metric({
      namespace: METRIC_NAMESPACE,
      metricName,
      statistic,
      period: PERIOD,
      label: [metricName, ...Object.values(dimensions)].join(' '),
      dimensionsMap: { [METRIC_DIMENSIONS.service]: this.props.config.stackName, ...dimensions },
    });
  }
}

/** Names of the logs of functions, some of which share one. */
function listLogs(functions: readonly NotifierFunction[]): string[] {
  return [...new Set(functions.map(({ log }) => log.name))];
}

/** Columns of a dashboard. */
const FULL_WIDTH = 24;
const HEIGHT = 6;

/** That CloudWatch shows in one widget. */
const MAX_ALARMS = 100;
const PERIOD = Duration.minutes(5);

/** The heading of a section: a stage of the flow, and what to look for. */
function createHeading(title: string, text: string): IWidget {
  return new TextWidget({ markdown: `## ${title}\n${text}`, width: FULL_WIDTH, height: 2 });
}

/** The state of up to `MAX_ALARMS` alarms. */
function createAlarmStatus(alarms: readonly IAlarm[]): IWidget {
  return new AlarmStatusWidget({ title: 'State', alarms: [...alarms], width: FULL_WIDTH, height: 4 });
}

/** A graph of metrics that share an axis. */
function createGraph(title: string, left: readonly IMetric[]): IWidget {
  return new GraphWidget({ title, left: [...left], width: FULL_WIDTH / 2, height: HEIGHT, period: PERIOD });
}

/** A query over logs, by their names without `/aws/lambda/`. */
function createQuery({ title, lines, isChart }: LogQuery, logs: readonly string[]): IWidget {
  return new LogQueryWidget({
    title,
    logGroupNames: logs.map((name) => `/aws/lambda/${name}`),
    queryLines: [...lines],
    view: isChart ? LogQueryVisualizationType.LINE : LogQueryVisualizationType.TABLE,
    width: FULL_WIDTH / 2,
    height: HEIGHT,
  });
}

/** A query of CloudWatch Logs Insights, which costs nothing until somebody opens the dashboard. */
interface LogQuery {
  readonly title: string;
  readonly lines: readonly string[];
  /** A line over time; otherwise a table. */
  readonly isChart: boolean;
}

const POLLS = 'filter outcome = "poll.completed"';
const RELEASES = 'filter outcome = "alerts.released"';
const DELIVERIES = 'filter outcome = "delivery.attempted"';
/** Polls publish all types but those that functions of webhooks do. */
const POLLED_TYPES = PUBLISHED_TYPES.filter(isLogged);
const FORWARDED = 'filter outcome = "events.forwarded"';
const EVERY_5_MINUTES = 'by bin(5m)';

const QUERIES = {
  polls: {
    title: 'Polls by result',
    lines: [POLLS, 'stats count(*) as polls by connection, feed, result, reason', 'sort polls desc'],
    isChart: false,
  },
  requests: {
    title: 'Requests to the source, and those answered with 429',
    lines: [POLLS, `stats sum(requests) as sent, sum(throttled) as refused ${EVERY_5_MINUTES}`],
    isChart: true,
  },
  changes: {
    title: 'Changes found, and records in quarantine',
    lines: [POLLS, `stats sum(changes) as changed, sum(quarantined) as unreadable ${EVERY_5_MINUTES}`],
    isChart: true,
  },
  lag: {
    title: 'Seconds from observed to published, of the slowest event of a poll',
    lines: [
      `${POLLS} and eventsPublished > 0`,
      `stats pct(lag_ms, 50) / 1000 as half, max(lag_ms) / 1000 as slowest ${EVERY_5_MINUTES}`,
    ],
    isChart: true,
  },
  types: {
    title: 'Events by type',
    lines: [POLLS, `stats ${POLLED_TYPES.map(sumPublished).join(', ')}`],
    isChart: false,
  },
  deliveries: {
    title: 'Deliveries by endpoint',
    lines: [
      DELIVERIES,
      'stats count(*) as attempts, pct(age_ms, 99) / 1000 as oldest_seconds by webhook, result, reason',
      'sort attempts desc',
    ],
    isChart: false,
  },
  forwarded: {
    title: 'Events on the bus, and those that wait for it',
    lines: [
      FORWARDED,
      `stats sum(taken) as put, sum(left) as waiting, sum(refused) as dead ${EVERY_5_MINUTES}`,
    ],
    isChart: true,
  },
  alerts: {
    title: 'Alerts by channel',
    lines: [
      RELEASES,
      'stats sum(messages) as sent, sum(alerts) as contained, max(waiting) as held, max(oldest_ms) / 1000 as oldest_seconds by channel',
    ],
    isChart: false,
  },
} as const satisfies Record<string, LogQuery>;

/** `sum(published_timesheet_approved) as timesheet_approved` */
function sumPublished(type: string): string {
  const name = type.replace(/^workforce\./, '').replaceAll('.', '_');
  return `sum(published_${name}) as ${name}`;
}
