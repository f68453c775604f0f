import { Duration } from 'aws-cdk-lib';
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IQueue, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { QUEUE_RETENTION_DAYS } from '#shared/core/delivery-retention.ts';

/** The longest that SQS keeps a message: time to find out why and to put it right. */
const RETENTION = Duration.days(QUEUE_RETENTION_DAYS);

/** Common to all queues: encryption, TLS only, longest retention. */
export function buildQueueProps(queueName: string, key?: IKey): QueueProps {
  return {
    queueName,
    enforceSSL: true,
    retentionPeriod: RETENTION,
    // SQS's own encryption needs no permissions of senders or receivers.
    ...(key === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: key }),
  };
}

export interface DeadLetterQueueProps {
  readonly key?: IKey | undefined;
  /** For a FIFO queue. */
  readonly fifo?: boolean;
  /** Default: 14 days. */
  readonly retention?: Duration;
}

/** A queue for messages that could not be delivered or processed. */
export function createDeadLetterQueue(
  scope: Construct,
  queueName: string,
  { key, fifo = false, retention = RETENTION }: DeadLetterQueueProps = {},
): Queue {
  const props = fifo
    ? { ...buildQueueProps(`${queueName}.fifo`, key), fifo }
    : buildQueueProps(queueName, key);
  const queue = new Queue(scope, 'DeadLetters', { ...props, retentionPeriod: retention });
  acknowledge(queue, 'SQSRedrivePolicy', 'it is a dead-letter queue itself');
  return queue;
}

/** Allows a function to send to these queues, and nothing else. */
export function allowSending(role: IRole, queues: readonly IQueue[]): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({
      sid: 'SendMessages',
      actions: ['sqs:SendMessage'],
      resources: queues.map(({ queueArn }) => queueArn),
    }),
  );
}

/** Allows Lambda to pass the messages of a queue to a function, under the role of the function. */
export function allowReceiving(role: IRole, { queueArn }: IQueue): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({
      sid: 'ReceiveMessages',
      actions: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      resources: [queueArn],
    }),
  );
}

/** Number of messages in a dead-letter queue. */
export function metricMessages(queue: Queue): Metric {
  return queue.metricApproximateNumberOfMessagesVisible({
    period: Duration.minutes(5),
    statistic: Stats.MAXIMUM,
  });
}
