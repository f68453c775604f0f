import { Duration } from 'aws-cdk-lib';
import { Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { AlarmId } from '#shared/config/alarms.ts';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { POLL_MINUTES, SILENT_AFTER_MINUTES } from '#shared/config/poll-times.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';

/** Seconds overdue that raise the alarm. */
const OVERDUE_SECONDS = 30 * 60;
/** Each connection has reported within this: long polls write their metrics only every few minutes. */
const REPORT_PERIOD = Duration.minutes(5);
/** In a row, of what a later poll usually settles: a single poll after a pause is always late. */
const LASTING = 3;

/** What polls report while it lasts. */
const TROUBLES: readonly {
  readonly alarm: AlarmId;
  readonly metricName: string;
  readonly atLeast: number;
  /** In a row. */
  readonly periods: number;
}[] = [
  { alarm: 'events-waiting', metricName: METRICS.eventsWaiting, atLeast: 1, periods: LASTING },
  {
    alarm: 'feed-overdue',
    metricName: METRICS.worstLateSeconds,
    atLeast: OVERDUE_SECONDS,
    periods: LASTING,
  },
  { alarm: 'source-doubtful', metricName: METRICS.doubtfulSlices, atLeast: 1, periods: 1 },
  { alarm: 'credential-refused', metricName: METRICS.credentialRefused, atLeast: 1, periods: 1 },
  { alarm: 'publish-failed', metricName: METRICS.publishFailed, atLeast: 1, periods: 1 },
];

export interface PollAlarmsProps {
  readonly config: NotifierConfig;
  readonly alarmTopic: ITopic;
}

/**
 * Alarms on what polls report: on troubles one each for all connections, which the log names; on silence one for each.
 * Throttling, and a table that refuses, show in these and in the dead letters of the poller.
 */
export class PollAlarms extends Construct {
  private readonly props: PollAlarmsProps;

  constructor(scope: Construct, id: string, props: PollAlarmsProps) {
    super(scope, id);
    this.props = props;
    this.addTroubles();
    for (const { name } of props.config.connections) this.addSilence(name);
  }

  private addTroubles(): void {
    const { config, alarmTopic } = this.props;
    for (const { alarm, metricName, atLeast, periods } of TROUBLES) {
      new NotifierAlarm(this, metricName, {
        alarm,
        metric: new Metric({
          namespace: METRIC_NAMESPACE,
          metricName,
          // Of any connection: one that is well must not hide one that is not.
          statistic: Stats.MAXIMUM,
          period: REPORT_PERIOD,
          dimensionsMap: { [METRIC_DIMENSIONS.service]: config.stackName },
        }),
        when: { atLeast },
        periods,
        alarmTopic,
      });
    }
  }

  private addSilence(connection: string): void {
    const { config, alarmTopic } = this.props;
    new NotifierAlarm(this, `Silent-${connection}`, {
      alarm: 'poll-silent',
      about: connection,
      metric: new Metric({
        namespace: METRIC_NAMESPACE,
        metricName: METRICS.completedPolls,
        statistic: Stats.SUM,
        period: Duration.minutes(POLL_MINUTES),
        dimensionsMap: {
          [METRIC_DIMENSIONS.service]: config.stackName,
          [METRIC_DIMENSIONS.connection]: connection,
        },
      }),
      when: { below: 1 },
      periods: SILENT_AFTER_MINUTES / POLL_MINUTES,
      missing: TreatMissingData.BREACHING,
      alarmTopic,
    });
  }
}
