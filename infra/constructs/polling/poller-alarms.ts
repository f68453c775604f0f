import { Duration } from 'aws-cdk-lib';
import { Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { FEED_MARKS, METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { POLL_MINUTES, SILENT_AFTER_MINUTES } from '#shared/config/poll-times.ts';
import type { NotifierConfig, ScheduledFeed } from '#shared/config/schema/notifier-config.ts';
import { type AlarmTopics, NotifierAlarm } from '../foundation/notifier-alarm.ts';
import type { NotifierFunction } from '../foundation/notifier-function.ts';

/** Polls that must have run before a bad result counts. */
export const MIN_POLLS = 3;

/** Each feed has reported within this: long polls write their metrics only every few minutes. */
export const REPORT_PERIOD = Duration.minutes(5);

/** A function that polls, as far as its alarms need it. */
interface WatchedPoller extends NotifierFunction {
  readonly feed: ScheduledFeed;
}

/**
 * Alarms of one poller: on events that wait, and for each of its connections on silence. Throttling, failing schedules
 * and a table that refuses show in these and in the dead requests of the pollers, so they have no alarm of their own.
 */
export function addPollerAlarms(
  poller: WatchedPoller,
  config: NotifierConfig,
  alarmTopics: AlarmTopics,
): void {
  const { feed } = poller;
  new NotifierAlarm(poller, 'Waiting', {
    alarm: 'events-waiting',
    about: feed,
    metric: new Metric({
      namespace: METRIC_NAMESPACE,
      metricName: METRICS.eventsWaiting,
      // Of any connection: a feed whose events go out must not hide one whose events do not.
      statistic: Stats.MAXIMUM,
      period: REPORT_PERIOD,
      dimensionsMap: { [METRIC_DIMENSIONS.service]: config.stackName, [METRIC_DIMENSIONS.feed]: feed },
    }),
    when: { atLeast: 1 },
    periods: MIN_POLLS,
    alarmTopics,
  });
  for (const { name } of config.connections) addSilenceAlarm(poller, name, { config, alarmTopics });
}

/** Sounds when no data point of a while has the mark of this feed. */
function addSilenceAlarm(
  poller: WatchedPoller,
  connection: string,
  { config, alarmTopics }: { config: NotifierConfig; alarmTopics: AlarmTopics },
): void {
  const { feed } = poller;
  new NotifierAlarm(poller, `Silent-${connection}`, {
    alarm: 'poll-silent',
    about: `${feed}-${connection}`,
    metric: new Metric({
      namespace: METRIC_NAMESPACE,
      metricName: METRICS.completedFeed,
      statistic: feed === 'timesheets' ? Stats.MINIMUM : Stats.MAXIMUM,
      period: Duration.minutes(POLL_MINUTES),
      dimensionsMap: {
        [METRIC_DIMENSIONS.service]: config.stackName,
        [METRIC_DIMENSIONS.connection]: connection,
      },
    }),
    when:
      feed === 'timesheets' ? { atLeast: FEED_MARKS['pay-periods'] } : { below: FEED_MARKS['pay-periods'] },
    periods: SILENT_AFTER_MINUTES / POLL_MINUTES,
    missing: TreatMissingData.BREACHING,
    alarmTopics,
  });
}
