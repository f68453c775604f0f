import { Duration, Names } from 'aws-cdk-lib';
import { type IMetric, Metric, type MetricProps, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { AlarmId } from '#shared/config/alarms.ts';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE } from '#shared/config/names.ts';
import { NotifierAlarm, type NotifierAlarmProps } from './notifier-alarm.ts';
import { NotifierFunction, type NotifierFunctionProps } from './notifier-function.ts';
import { allowReceiving, buildQueueProps, GuardedQueue, metricMessages } from './queues.ts';

const BATCH_SIZE = 10;
const LATE_SECONDS = 15 * 60;
/** AWS recommends six times the timeout, so that a message is not delivered again while it is processed. */
const VISIBILITY_TIMEOUT_FACTOR = 6;

export interface QueueFunctionProps extends Omit<NotifierFunctionProps, 'startedBy'> {
  /** Failed receives after which a message goes to the dead-letter queue. */
  readonly maxReceives: number;
  /** Seconds before an unfinished message is delivered again. Default: six times the timeout. */
  readonly visibilityTimeoutSeconds?: number;
  /** Its messages wait in the queue. */
  readonly paused?: boolean;
  /** Concurrent invocations at most. A FIFO queue has one per group of messages. */
  readonly maxConcurrency?: number;
}

interface QueueAlarms extends Pick<NotifierAlarmProps, 'about' | 'alarmTopics'> {
  readonly deadLetters: AlarmId;
  readonly late: AlarmId;
}

/** A function that processes its own queue, and returns which messages of a batch must be delivered again. */
export abstract class QueueFunction extends NotifierFunction {
  readonly queue: GuardedQueue;

  constructor(scope: Construct, id: string, props: QueueFunctionProps) {
    super(scope, id, { ...props, startedBy: 'queue' });
    const { fifo = false, paused = false, maxConcurrency, timeoutSeconds } = props;
    const { visibilityTimeoutSeconds = VISIBILITY_TIMEOUT_FACTOR * timeoutSeconds } = props;
    const { customerKey } = props.context.encryption;
    const name = fifo ? `${this.serviceName}.fifo` : this.serviceName;
    this.queue = new GuardedQueue(this, 'Queue', {
      ...buildQueueProps(name, customerKey),
      ...(fifo ? { fifo } : {}),
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      deadLetters: this.deadLetters,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceives },
    });
    const path = `queues/${props.name ?? props.code}`;
    this.parts.push(
      [`${path}/url`, this.queue.queueUrl],
      [`${path}/dead-letters/url`, this.deadLetters.queueUrl],
    );
    allowReceiving(this.role, this.queue);
    props.context.encryption.allowReceiving(this.role);
    // Named as the CDK's own source of events is, which grants more than Lambda needs: CloudFormation cannot replace a
    // mapping of the same queue.
    this.function.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(this.queue.node)}`, {
      eventSourceArn: this.queue.queueArn,
      batchSize: BATCH_SIZE,
      reportBatchItemFailures: true,
      ...(paused ? { enabled: false } : {}),
      ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    });
  }

  /** A metric that lines of its log hold. */
  protected metricOfLog(metricName: string, options: Pick<MetricProps, 'period' | 'statistic'>): IMetric {
    const dimensionsMap = { [METRIC_DIMENSIONS.service]: this.serviceName };
    return new Metric({ namespace: METRIC_NAMESPACE, metricName, dimensionsMap, ...options });
  }

  /** Alarms on any message in the dead-letter queue, and on messages that wait for 15 minutes. */
  protected addQueueAlarms({ deadLetters, late, ...common }: QueueAlarms): void {
    new NotifierAlarm(this, 'DeadLettersAlarm', {
      ...common,
      alarm: deadLetters,
      metric: metricMessages(this.deadLetters),
      when: { atLeast: 1 },
    });
    new NotifierAlarm(this, 'LateAlarm', {
      ...common,
      alarm: late,
      metric: this.queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(5),
        statistic: Stats.MAXIMUM,
      }),
      when: { atLeast: LATE_SECONDS },
    });
  }
}
