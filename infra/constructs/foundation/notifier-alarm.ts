import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { partsPrefixOf } from '#infra/settings.ts';
import { type AlarmId, describeAlarm } from '#shared/config/alarms.ts';
import { Watch } from './watch.ts';

export interface NotifierAlarmProps {
  readonly alarm: AlarmId;
  /** Distinguishes several alarms of one id in a stack, such as `timesheets-main`. */
  readonly about?: string;
  readonly metric: IMetric;
  readonly when: { readonly atLeast: number } | { readonly below: number };
  /** Sounds when the condition holds in this many periods in a row. Default: 1. */
  readonly periods?: number;
  /** Meaning of missing data; default: no breach. */
  readonly missing?: TreatMissingData;
  /** Notified when the alarm begins and ends. */
  readonly alarmTopic: ITopic;
}

/** An alarm of the list in `shared/config/alarms.ts`. */
export class NotifierAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: NotifierAlarmProps) {
    const { alarm, about, metric, when, periods = 1, alarmTopic } = props;
    const subject = about === undefined ? '' : `-${about}`;
    super(Watch.placeFor(scope), id, {
      alarmName: `${partsPrefixOf(scope)}-${alarm}${subject}`,
      alarmDescription: describeAlarm(alarm),
      metric,
      ...('atLeast' in when
        ? {
            threshold: when.atLeast,
            comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          }
        : { threshold: when.below, comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD }),
      evaluationPeriods: periods,
      treatMissingData: props.missing ?? TreatMissingData.NOT_BREACHING,
    });
    const action = new SnsAction(alarmTopic);
    this.addAlarmAction(action);
    this.addOkAction(action);
  }
}
