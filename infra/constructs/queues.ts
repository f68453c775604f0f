import { Duration } from 'aws-cdk-lib';
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';

/** The longest that SQS keeps a message: time to find out why and to put it right. */
const RETENTION = Duration.days(14);

/** What our queues have in common: encryption, TLS only, and keeping messages as long as SQS can. */
export function queueProps(queueName: string, key?: IKey): QueueProps {
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

/** Messages lying in a dead-letter queue. */
export function messagesIn(queue: Queue): Metric {
  return queue.metricApproximateNumberOfMessagesVisible({
    period: Duration.minutes(5),
    statistic: Stats.MAXIMUM,
  });
}
