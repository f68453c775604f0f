import { Duration } from 'aws-cdk-lib';
import { Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { AlarmId } from '#shared/config/alarms.ts';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import type { NotifierConfig, ScheduledFeed } from '#shared/config/schema/notifier-config.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import type { NotifierFunction } from '../foundation/notifier-function.ts';
import { metricMessages } from '../foundation/queues.ts';
import type { Schedules } from '../foundation/schedules.ts';

/** Polls that must have run before a bad result counts. */
const MIN_POLLS = 3;

/** Failed requests within a day that raise the alarm. The next poll makes up for a single one. */
const FAILED_REQUESTS = 3;

/** Long polls write their metrics only every few minutes, however often they are started. */
const LONG_POLL_MINUTES = 5;

/** Seconds overdue that raise the alarm. */
const LATE_SECONDS = 30 * 60;

/** A function that polls, as far as its alarms need it. */
interface WatchedPoller extends NotifierFunction {
  readonly feed: ScheduledFeed;
  readonly schedules: Schedules;
}

/** Alarms of one poller, and for each of its connections on silence and on waiting events. */
export function addPollerAlarms(poller: WatchedPoller, config: NotifierConfig, alarmTopic: ITopic): void {
  const { feed } = poller;
  const period = Duration.minutes(5);
  const common = { about: feed, when: { atLeast: 1 }, alarmTopic } as const;
  new NotifierAlarm(poller, 'Errors', {
    ...common,
    alarm: 'poll-errors',
    metric: poller.function.metricErrors({ period }),
    periods: 2,
    of: 3,
  });
  new NotifierAlarm(poller, 'Throttled', {
    ...common,
    alarm: 'poll-throttled',
    metric: poller.function.metricThrottles({ period }),
    periods: 2,
    of: 3,
  });
  new NotifierAlarm(poller, 'DeadLettersAlarm', {
    ...common,
    alarm: 'poll-dead-letters',
    metric: metricMessages(poller.deadLetters),
    when: { atLeast: FAILED_REQUESTS },
  });
  new NotifierAlarm(poller, 'ScheduleFailing', {
    ...common,
    alarm: 'schedule-failing',
    metric: poller.schedules.group.metricTargetErrors({ period, statistic: Stats.SUM }),
    periods: 2,
    of: 3,
  });
  addMetricAlarms(poller, config, alarmTopic);
  for (const { name } of config.connections) addConnectionAlarms(poller, name, { config, alarmTopic });
}

function addConnectionAlarms(
  poller: WatchedPoller,
  connection: string,
  { config, alarmTopic }: { config: NotifierConfig; alarmTopic: ITopic },
): void {
  const { feed, serviceName } = poller;
  const { everyMinutes } = config.schedules[feed];
  const { silentAfterMinutes, waitingAfterMinutes } = config.alarms;
  const common = { about: `${feed}-${connection}`, alarmTopic };
  const metric = (metricName: string, statistic: string, periodMinutes: number) =>
    new Metric({
      namespace: METRIC_NAMESPACE,
      metricName,
      statistic,
      period: Duration.minutes(periodMinutes),
      dimensionsMap: {
        [METRIC_DIMENSIONS.service]: serviceName,
        [METRIC_DIMENSIONS.connection]: connection,
        [METRIC_DIMENSIONS.feed]: feed,
      },
    });
  const countPeriods = (periodMinutes: number, minutes: number) =>
    Math.max(MIN_POLLS, Math.ceil(minutes / periodMinutes));
  new NotifierAlarm(poller, `Silent-${connection}`, {
    ...common,
    alarm: 'poll-silent',
    metric: metric(METRICS.pollCompleted, Stats.SUM, everyMinutes),
    when: { below: 1 },
    periods: countPeriods(everyMinutes, silentAfterMinutes),
    missing: TreatMissingData.BREACHING,
  });
  const waitingPeriod = Math.max(everyMinutes, LONG_POLL_MINUTES);
  new NotifierAlarm(poller, `Waiting-${connection}`, {
    ...common,
    alarm: 'events-waiting',
    metric: metric(METRICS.eventsWaiting, Stats.MINIMUM, waitingPeriod),
    when: { atLeast: 1 },
    periods: countPeriods(waitingPeriod, waitingAfterMinutes),
    // Without a poll the number is unknown; silence has an alarm of its own.
    missing: TreatMissingData.IGNORE,
  });
}

interface MetricAlarm {
  readonly alarm: AlarmId;
  readonly metricName: string;
  readonly atLeast: number;
  /** Periods in a row, since a single poll after a pause is always late. */
  readonly periods: number;
}

const METRIC_ALARMS: Readonly<Record<string, MetricAlarm>> = {
  FormChanged: { alarm: 'source-form-changed', metricName: METRICS.formChanged, atLeast: 1, periods: 1 },
  PublishFailed: { alarm: 'publish-failed', metricName: METRICS.publishFailed, atLeast: 1, periods: 1 },
};
/** Alarms about dates, which only timesheets have. */
const TIMESHEET_METRIC_ALARMS: typeof METRIC_ALARMS = {
  Lagging: {
    alarm: 'feed-lagging',
    metricName: METRICS.worstLateSeconds,
    atLeast: LATE_SECONDS,
    periods: MIN_POLLS,
  },
  Unreadable: {
    alarm: 'slice-unreadable',
    metricName: METRICS.unreadableSlices,
    atLeast: 1,
    periods: MIN_POLLS,
  },
};

/** One alarm for all connections of a feed, since a stack has room for 500 resources; the log names the connection. */
function addMetricAlarms(poller: WatchedPoller, config: NotifierConfig, alarmTopic: ITopic): void {
  const { feed, serviceName } = poller;
  const period = Duration.minutes(Math.max(config.schedules[feed].everyMinutes, LONG_POLL_MINUTES));
  const metricAlarms = { ...METRIC_ALARMS, ...(feed === 'timesheets' ? TIMESHEET_METRIC_ALARMS : {}) };
  for (const [id, { alarm, metricName, atLeast, periods }] of Object.entries(metricAlarms)) {
    new NotifierAlarm(poller, id, {
      alarm,
      about: feed,
      metric: new Metric({
        namespace: METRIC_NAMESPACE,
        metricName,
        statistic: Stats.MAXIMUM,
        period,
        dimensionsMap: { [METRIC_DIMENSIONS.service]: serviceName },
      }),
      when: { atLeast },
      periods,
      alarmTopic,
    });
  }
}
