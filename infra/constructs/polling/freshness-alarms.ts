import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { readObjectives } from '#shared/config/schema/objectives.ts';
import { type AlarmTopics, NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { findReportMinutes } from './poller-alarms.ts';

/** Percent of the events of a period that must keep the objective. */
const KEPT_PERCENT = 95;
/** One late event, or one poll of them, is no burn: so many periods of so many are. */
const PERIODS = { periods: 3, of: 6 };

export interface FreshnessAlarmsProps {
  readonly config: NotifierConfig;
  readonly alarmTopics: AlarmTopics;
}

/** An alarm for each class of events that has an objective; none by default. */
export class FreshnessAlarms extends Construct {
  constructor(scope: Construct, id: string, { config, alarmTopics }: FreshnessAlarmsProps) {
    super(scope, id);
    const { timesheets, 'pay-periods': payPeriods } = config.schedules;
    for (const [name, seconds] of Object.entries(readObjectives(config.objectives))) {
      const { everyMinutes } = name === 'pay-periods' ? payPeriods : timesheets;
      new NotifierAlarm(this, name, {
        alarm: 'freshness-missed',
        about: name,
        metric: new Metric({
          namespace: METRIC_NAMESPACE,
          metricName: METRICS.freshnessSeconds,
          // Percentile rank: percent of the values above 0, and up to the objective.
          statistic: `PR(0:${seconds})`,
          period: Duration.minutes(findReportMinutes(everyMinutes)),
          dimensionsMap: {
            [METRIC_DIMENSIONS.service]: config.stackName,
            [METRIC_DIMENSIONS.class]: name,
          },
        }),
        when: { below: KEPT_PERCENT },
        ...PERIODS,
        alarmTopics,
      });
    }
  }
}
