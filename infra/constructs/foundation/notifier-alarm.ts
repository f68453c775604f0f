import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type AlarmId, describeAlarm } from '#shared/config/alarms.ts';

export interface NotifierAlarmProps {
  readonly alarm: AlarmId;
  /** What it watches when the stack has several such alarms, such as `timesheets-main`. */
  readonly about?: string;
  readonly metric: IMetric;
  readonly when: { readonly atLeast: number } | { readonly below: number };
  /** Sounds when it is so in this many periods ... */
  readonly periods?: number;
  /** ... out of this many; without it, in a row. */
  readonly of?: number;
  /** What no data means; good data unless it says otherwise. */
  readonly missing?: TreatMissingData;
  /** Topic that hears when the alarm sounds and when it is over. */
  readonly notify: ITopic;
}

/** One alarm of the list in `shared/config/alarms.ts`, with its impact and its place in the runbook as its text. */
export class NotifierAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: NotifierAlarmProps) {
    const { alarm, about, metric, when, periods = 1, of = periods, notify } = props;
    const subject = about === undefined ? '' : `-${about}`;
    super(scope, id, {
      alarmName: `${Stack.of(scope).stackName}-${alarm}${subject}`,
      alarmDescription: describeAlarm(alarm),
      metric,
      ...('atLeast' in when
        ? {
            threshold: when.atLeast,
            comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          }
        : { threshold: when.below, comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD }),
      evaluationPeriods: of,
      datapointsToAlarm: periods,
      treatMissingData: props.missing ?? TreatMissingData.NOT_BREACHING,
    });
    const action = new SnsAction(notify);
    this.addAlarmAction(action);
    this.addOkAction(action);
  }
}
