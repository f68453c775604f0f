import { Duration } from 'aws-cdk-lib';
import { Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import type { NotifierConfig } from '#shared/config/notifier-config.ts';
import { NotifierAlarm } from './notifier-alarm.ts';
import type { Poller } from './poller.ts';
import { messagesIn } from './queues.ts';

/** Polls that must have had their chance before a bad result means something. */
const LEAST_POLLS = 3;

/** Requests that fail within the day for which they are kept. One is made up for by the next poll. */
const FAILED_REQUESTS = 3;

/** A poll that takes its time gives a number every few minutes only, however often one is started. */
const LONG_POLL_MINUTES = 5;

/** No date is to wait longer than this for its turn, however rarely it is due. */
const LATE_SECONDS = 30 * 60;

/** Alarms of one poller: on errors, on throttling, and for each connection on silence, backlogs and what cannot be read. */
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
    metric: messagesIn(poller.deadLetters),
    when: { atLeast: FAILED_REQUESTS },
  });
  new NotifierAlarm(poller, 'ScheduleFailing', {
    ...common,
    alarm: 'schedule-failing',
    metric: poller.schedules.group.metricTargetErrors({ period, statistic: Stats.SUM }),
    periods: 2,
    of: 3,
  });
  for (const { name } of config.connections) addConnectionAlarms(poller, name, { config, notify });
}

interface Watching {
  readonly config: NotifierConfig;
  readonly notify: ITopic;
}

function addConnectionAlarms(poller: Poller, connection: string, { config, notify }: Watching): void {
  const { feed } = poller;
  const { everyMinutes } = config.schedules[feed];
  const { silentAfterMinutes, waitingAfterMinutes } = config.alarms;
  const common = { about: `${feed}-${connection}`, notify };
  const metric = metricsOf(poller, connection);
  const periodsOf = (periodMinutes: number, minutes: number) =>
    Math.max(LEAST_POLLS, Math.ceil(minutes / periodMinutes));
  new NotifierAlarm(poller, `Silent-${connection}`, {
    ...common,
    alarm: 'poll-silent',
    metric: metric(METRICS.pollCompleted, Stats.SUM, everyMinutes),
    when: { below: 1 },
    periods: periodsOf(everyMinutes, silentAfterMinutes),
    missing: TreatMissingData.BREACHING,
  });
  const waitingPeriod = Math.max(everyMinutes, LONG_POLL_MINUTES);
  new NotifierAlarm(poller, `Waiting-${connection}`, {
    ...common,
    alarm: 'events-waiting',
    metric: metric(METRICS.eventsWaiting, Stats.MINIMUM, waitingPeriod),
    when: { atLeast: 1 },
    periods: periodsOf(waitingPeriod, waitingAfterMinutes),
    // Without a poll nothing is known of the events; silence has an alarm of its own.
    missing: TreatMissingData.IGNORE,
  });
  for (const [id, alarm, metricName] of TROUBLES) {
    new NotifierAlarm(poller, `${id}-${connection}`, {
      ...common,
      alarm,
      metric: metric(metricName, Stats.MAXIMUM, waitingPeriod),
      when: { atLeast: 1 },
    });
  }
  if (feed === 'timesheets') addProgressAlarms(poller, connection, { config, notify });
}

/** Told by the first poll that finds them. */
const TROUBLES = [
  ['FormChanged', 'source-form-changed', METRICS.formChanged],
  ['PublishFailed', 'publish-failed', METRICS.publishFailed],
] as const;

/** Alarms on dates that are not read, or not in time. Only timesheets have dates. */
function addProgressAlarms(poller: Poller, connection: string, { config, notify }: Watching): void {
  const period = Math.max(config.schedules[poller.feed].everyMinutes, LONG_POLL_MINUTES);
  const common = { about: `${poller.feed}-${connection}`, notify, periods: LEAST_POLLS } as const;
  const metric = metricsOf(poller, connection);
  new NotifierAlarm(poller, `Lagging-${connection}`, {
    ...common,
    alarm: 'feed-lagging',
    // One poll that comes after a pause is late, and makes up for it.
    metric: metric(METRICS.worstLateSeconds, Stats.MINIMUM, period),
    when: { atLeast: LATE_SECONDS },
  });
  new NotifierAlarm(poller, `Unreadable-${connection}`, {
    ...common,
    alarm: 'slice-unreadable',
    metric: metric(METRICS.unreadableSlices, Stats.MAXIMUM, period),
    when: { atLeast: 1 },
  });
}

/** Makes metrics of a connection's polls, by name, statistic and minutes of a period. */
function metricsOf({ serviceName, feed }: Poller, connection: string) {
  return (metricName: string, statistic: string, periodMinutes: number) =>
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
}
