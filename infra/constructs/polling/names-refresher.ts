import { Duration } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import type { NamesRequest } from '#shared/config/requests/names-request.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import { Schedules } from '../foundation/schedules.ts';

export interface NamesRefresherProps {
  readonly context: StackContext;
  /** Kinds of records that at least one channel calls by name. */
  readonly kinds: NamesRequest['kinds'];
}

/** Reads the names that messages show, from every connection, once a day. */
export class NamesRefresher extends NotifierFunction {
  constructor(scope: Construct, id: string, { context, kinds }: NamesRefresherProps) {
    const { config, table, notify } = context;
    const { connections, functions } = config;
    super(scope, id, {
      context,
      code: 'poll-directory',
      description: 'Refreshes the names of employees, departments, activities and organisations',
      timeoutSeconds: functions.timeoutSeconds,
      memoryMb: functions.memoryMb,
      environment: {},
      startedBy: 'invocation',
      // The next run is a day away, and messages would show ids until then.
      retries: { atMost: 2, within: Duration.hours(1) },
    });
    table.allowUse(
      this.role,
      connections.map(({ name }) => `${name}#directory`),
      ['BatchWriteItem', 'GetItem', 'PutItem', 'Query'],
    );
    this.allowReadingSecrets(connections.map(({ secretName }) => secretName));
    const requests = connections.map((connection): [string, NamesRequest] => [
      connection.name,
      { connection, kinds },
    ]);
    const schedules = new Schedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      schedule: ScheduleExpression.rate(Duration.days(1)),
      inputs: new Map(requests),
    });
    new NotifierAlarm(this, 'ErrorsAlarm', {
      alarm: 'directory-errors',
      metric: schedules.metricFailures(this.function, 60),
      when: { atLeast: 1 },
      notify,
    });
    new NotifierAlarm(this, 'ForbiddenAlarm', {
      alarm: 'names-forbidden',
      metric: this.forbidden(),
      when: { atLeast: 1 },
      notify,
    });
  }

  /** Lists of names refused with 403, counted in the log: a retry would not help, so the run does not fail. */
  private forbidden(): IMetric {
    const filter = new MetricFilter(this, 'Forbidden', {
      logGroup: this.logGroup,
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue('$.outcome', '=', 'directory.polled'),
        FilterPattern.numberValue('$.forbidden', '>', 0),
      ),
      metricNamespace: METRIC_NAMESPACE,
      metricName: METRICS.namesForbidden,
      metricValue: '$.forbidden',
      dimensions: { [METRIC_DIMENSIONS.service]: '$.service' },
    });
    return filter.metric({
      // The next refresh is a day away.
      period: Duration.days(1),
      statistic: Stats.SUM,
      dimensionsMap: { [METRIC_DIMENSIONS.service]: this.serviceName },
    });
  }
}
