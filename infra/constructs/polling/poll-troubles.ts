import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { AlarmId } from '#shared/config/alarms.ts';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { type AlarmTopics, NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { MIN_POLLS, REPORT_PERIOD } from './poller-alarms.ts';

/** Seconds overdue that raise the alarm. */
const LATE_SECONDS = 30 * 60;

export interface PollTroublesProps {
  readonly config: NotifierConfig;
  readonly alarmTopics: AlarmTopics;
}

/** What polls report while it lasts. One alarm for all feeds and connections of the stack; the log names them. */
export class PollTroubles extends Construct {
  constructor(scope: Construct, id: string, { config, alarmTopics }: PollTroublesProps) {
    super(scope, id);
    // Only timesheets have dates. A single poll after a pause is always late.
    const ofDates = { periods: MIN_POLLS };
    const ofFeeds = { periods: 1 };
    const alarms: readonly TroubleAlarm[] = [
      { alarm: 'feed-lagging', metricName: METRICS.worstLateSeconds, atLeast: LATE_SECONDS, ...ofDates },
      { alarm: 'slice-unreadable', metricName: METRICS.unreadableSlices, atLeast: 1, ...ofDates },
      { alarm: 'source-form-changed', metricName: METRICS.formChanged, atLeast: 1, ...ofFeeds },
      { alarm: 'publish-failed', metricName: METRICS.publishFailed, atLeast: 1, ...ofFeeds },
    ];
    for (const { alarm, metricName, atLeast, periods } of alarms) {
      new NotifierAlarm(this, metricName, {
        alarm,
        metric: new Metric({
          namespace: METRIC_NAMESPACE,
          metricName,
          statistic: Stats.MAXIMUM,
          period: REPORT_PERIOD,
          dimensionsMap: { [METRIC_DIMENSIONS.service]: config.stackName },
        }),
        when: { atLeast },
        periods,
        alarmTopics,
      });
    }
  }
}

interface TroubleAlarm {
  readonly alarm: AlarmId;
  readonly metricName: string;
  readonly atLeast: number;
  /** In a row. */
  readonly periods: number;
}
