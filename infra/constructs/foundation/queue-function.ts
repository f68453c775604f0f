import { Duration } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { NotifierFunction, type NotifierFunctionProps } from './notifier-function.ts';
import { buildQueueProps } from './queues.ts';

const BATCH_SIZE = 10;
/** AWS recommends six times the timeout, so that a message is not delivered again while it is processed. */
const VISIBILITY_TIMEOUT_FACTOR = 6;

export interface QueueFunctionProps extends Omit<NotifierFunctionProps, 'startedBy'> {
  /** Failed receives after which a message goes to the dead-letter queue. */
  readonly maxReceives: number;
  /** Seconds before an unfinished message is delivered again. Default: six times the timeout. */
  readonly visibilityTimeoutSeconds?: number;
  /** Concurrent invocations at most. A FIFO queue has one per group of messages. */
  readonly maxConcurrency?: number;
}

/** A function that processes its own queue, and returns which messages of a batch must be delivered again. */
export abstract class QueueFunction extends NotifierFunction {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, props: QueueFunctionProps) {
    super(scope, id, { ...props, startedBy: 'queue' });
    const { fifo = false, maxConcurrency, timeoutSeconds } = props;
    const { visibilityTimeoutSeconds = VISIBILITY_TIMEOUT_FACTOR * timeoutSeconds } = props;
    const { ownKey } = props.context.encryption;
    const name = fifo ? `${this.serviceName}.fifo` : this.serviceName;
    this.queue = new Queue(this, 'Queue', {
      ...buildQueueProps(name, ownKey),
      ...(fifo ? { fifo } : {}),
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceives },
    });
    const path = `queues/${props.name ?? props.code}`;
    this.parts.push(
      { path: `${path}/url`, value: this.queue.queueUrl },
      { path: `${path}/dead-letters/url`, value: this.deadLetters.queueUrl },
    );
    this.function.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: BATCH_SIZE,
        reportBatchItemFailures: true,
        ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
      }),
    );
  }

  /** Age of the oldest message, in seconds. */
  protected metricOldestMessageAge(): IMetric {
    return this.queue.metricApproximateAgeOfOldestMessage({
      period: Duration.minutes(5),
      statistic: Stats.MAXIMUM,
    });
  }
}
