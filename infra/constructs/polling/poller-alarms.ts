import { Duration } from 'aws-cdk-lib';
import { Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { AlarmId } from '#shared/config/alarms.ts';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { metricMessages } from '../foundation/queues.ts';
import type { Poller } from './poller.ts';

/** Polls that must have had their chance before a bad result means something. */
const MIN_POLLS = 3;

/** Requests that fail within the day for which they are kept. One is made up for by the next poll. */
const FAILED_REQUESTS = 3;

/** A poll that takes its time gives a number every few minutes only, however often one is started. */
const LONG_POLL_MINUTES = 5;

/** No date is to wait longer than this for its turn, however rarely it is due. */
const LATE_SECONDS = 30 * 60;

/** Alarms of one poller: on errors, throttling and what cannot be read, and for each connection on silence and on a backlog. */
export function addPollerAlarms(poller: Poller, config: NotifierConfig, notify: ITopic): void {
  const { feed } = poller;
  const period = Duration.minutes(5);
  const common = { about: feed, when: { atLeast: 1 }, notify } as const;
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
  addMetricAlarms(poller, config, notify);
  for (const { name } of config.connections) addConnectionAlarms(poller, name, { config, notify });
}

function addConnectionAlarms(
  poller: Poller,
  connection: string,
  { config, notify }: { config: NotifierConfig; notify: ITopic },
): void {
  const { feed, serviceName } = poller;
  const { everyMinutes } = config.schedules[feed];
  const { silentAfterMinutes, waitingAfterMinutes } = config.alarms;
  const common = { about: `${feed}-${connection}`, notify };
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
    // Without a poll nothing is known of the events; silence has an alarm of its own.
    missing: TreatMissingData.IGNORE,
  });
}

interface MetricAlarm {
  readonly alarm: AlarmId;
  readonly metricName: string;
  readonly atLeast: number;
  /** Periods in a row. One poll that comes after a pause is late, and makes up for it. */
  readonly periods: number;
}

const METRIC_ALARMS: Readonly<Record<string, MetricAlarm>> = {
  FormChanged: { alarm: 'source-form-changed', metricName: METRICS.formChanged, atLeast: 1, periods: 1 },
  PublishFailed: { alarm: 'publish-failed', metricName: METRICS.publishFailed, atLeast: 1, periods: 1 },
};
/** Only timesheets have dates. */
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

/** One alarm for all connections of a feed: the log says which it is, and a stack has room for so many resources. */
function addMetricAlarms(poller: Poller, config: NotifierConfig, notify: ITopic): void {
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
      notify,
    });
  }
}
