import { Duration } from 'aws-cdk-lib';
import { type IMetric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter, type MetricFilterProps } from 'aws-cdk-lib/aws-logs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { POLL_TIMEOUT_SECONDS } from '#shared/config/poll-times.ts';
import type { NamesRequest } from '#shared/config/requests/names-request.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import type { GuardedQueue } from '../foundation/queues.ts';
import { Schedules } from '../foundation/schedules.ts';
import { Watch } from '../foundation/watch.ts';

export interface NamesRefresherProps {
  readonly context: StackContext;
  /** Kinds of records that are called by name. */
  readonly kinds: NamesRequest['kinds'];
  /** Of the function that sends the messages with these names: one alarm is about both. */
  readonly deadLetters: GuardedQueue;
}

/** While there are names, a run reads one item for each kind; the function has its next full run in a day. */
const MISSING_EVERY = Duration.minutes(5);

/** Reads the names that messages show, from every connection, once a day, and within minutes where there are none. */
export class NamesRefresher extends NotifierFunction {
  constructor(scope: Construct, id: string, { context, kinds, deadLetters }: NamesRefresherProps) {
    const { config, table, alarmTopics } = context;
    const { connections, poll } = config;
    super(scope, id, {
      context,
      code: 'poll-directory',
      callsOut: true,
      description: 'Refreshes the names of employees, departments, activities and organisations',
      timeoutSeconds: POLL_TIMEOUT_SECONDS,
      memoryMb: poll.memoryMb,
      environment: {},
      startedBy: 'invocation',
      deadLetters,
      // The next full run is a day away, and messages would show old names until then.
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
    const missing = requests.map(([name, request]): [string, NamesRequest] => [
      `${name}.missing`,
      { ...request, only: 'missing' },
    ]);
    schedules.add(ScheduleExpression.rate(MISSING_EVERY), new Map(missing));
    this.addAlarms(connections.length, alarmTopics);
  }

  /**
   * The alarms on results look at days, since names are read once a day. What is stale covers whatever keeps them from being
   * read: a source that refuses or an error, by runs that were not complete; a disabled schedule, by the end of all data.
   * A new stack has no data yet, and is not stale.
   */
  private addAlarms(connections: number, alarmTopics: StackContext['alarmTopics']): void {
    const line = FilterPattern.stringValue('$.outcome', '=', 'directory.polled');
    const withResult = (result: 'complete' | 'incomplete', metricValue: '0' | '1') => ({
      metricName: METRICS.namesRefreshed,
      filterPattern: FilterPattern.all(line, FilterPattern.stringValue('$.result', '=', result)),
      metricValue,
    });
    this.metricOfLog('NotRefreshed', withResult('incomplete', '0'));
    new NotifierAlarm(this, 'StaleAlarm', {
      alarm: 'names-stale',
      metric: this.metricOfLog('Refreshed', withResult('complete', '1')),
      when: { below: connections },
      periods: 2,
      missing: TreatMissingData.MISSING,
      alarmTopics,
    });
  }

  /** The sum of a day. */
  private metricOfLog(
    id: string,
    props: Pick<MetricFilterProps, 'metricName' | 'filterPattern' | 'metricValue'>,
  ): IMetric {
    const filter = new MetricFilter(Watch.placeFor(this), id, {
      ...props,
      logGroup: this.log,
      metricNamespace: METRIC_NAMESPACE,
      dimensions: { [METRIC_DIMENSIONS.service]: '$.service' },
    });
    return filter.metric({
      period: Duration.days(1),
      statistic: Stats.SUM,
      dimensionsMap: { [METRIC_DIMENSIONS.service]: this.serviceName },
    });
  }
}
