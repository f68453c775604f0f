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

/** What our queues have in common: encryption, TLS only, and keeping messages as long as SQS can. */
export function buildQueueProps(queueName: string, key?: IKey): QueueProps {
  return {
    queueName,
    enforceSSL: true,
    retentionPeriod: RETENTION,
    // SQS's own encryption needs no permission of whoever sends or receives.
    ...(key === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: key }),
  };
}

export interface DeadLetterQueueProps {
  readonly key?: IKey | undefined;
  /** It is that of a queue that keeps the order of messages. */
  readonly fifo?: boolean;
  /** How long it keeps what lies there. Default: as long as SQS can. */
  readonly retention?: Duration;
}

/** A queue for what could not be delivered or worked off. */
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

/** Lets a function send to these queues, and do nothing else with them. */
export function allowSending(role: IRole, queues: readonly IQueue[]): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({
      sid: 'SendMessages',
      actions: ['sqs:SendMessage'],
      resources: queues.map(({ queueArn }) => queueArn),
    }),
  );
}

/** Messages lying in a dead-letter queue. */
export function metricMessages(queue: Queue): Metric {
  return queue.metricApproximateNumberOfMessagesVisible({
    period: Duration.minutes(5),
    statistic: Stats.MAXIMUM,
  });
}
