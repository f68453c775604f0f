import { Duration, Names } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { NotifierAlarm } from './notifier-alarm.ts';
import { NotifierFunction, type NotifierFunctionProps } from './notifier-function.ts';
import { allowReceiving, buildQueueProps, GuardedQueue } from './queues.ts';

const BATCH_SIZE = 10;
/**
 * The least that Lambda takes, so that polls keep their share of the ten executions of a new account. Of a webhook it is
 * twenty requests at once, which is enough for a bulk approval.
 */
const MAX_CONCURRENCY = 2;
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
}

/** A function that processes its own queue, and returns which messages of a batch must be delivered again. */
export abstract class QueueFunction extends NotifierFunction {
  readonly queue: GuardedQueue;

  constructor(scope: Construct, id: string, props: QueueFunctionProps) {
    super(scope, id, { ...props, startedBy: 'queue' });
    const { fifo = false, paused = false, timeoutSeconds } = props;
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
      // A FIFO queue has one execution for each group of messages.
      ...(fifo ? {} : { maxConcurrency: MAX_CONCURRENCY }),
    });
  }

  /** Alarm on messages to people that wait for 15 minutes. */
  protected addLateAlarm(about: string, alarmTopic: ITopic): void {
    new NotifierAlarm(this, 'LateAlarm', {
      alarm: 'messages-late',
      about,
      metric: this.queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(5),
        statistic: Stats.MAXIMUM,
      }),
      when: { atLeast: LATE_SECONDS },
      alarmTopic,
    });
  }
}
