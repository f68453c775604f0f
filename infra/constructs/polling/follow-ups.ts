import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { NotifierFunction, StackContext } from '../foundation/notifier-function.ts';
import { allowReceiving, allowSending, buildQueueProps, GuardedQueue } from '../foundation/queues.ts';

interface FollowUpsProps {
  readonly poller: NotifierFunction;
  readonly context: StackContext;
}

/** One that failed goes to the dead letters when it would be received again, which is after the timeout of the function. */
const RETENTION = Duration.hours(1);

/**
 * Messages by which a poll starts the next one within its minute, so that nobody pays for its waiting (ADR 41). The next
 * scheduled poll makes up for one that is lost; one that comes late starts nothing.
 */
export class FollowUps extends Construct {
  constructor(scope: Construct, id: string, { poller, context: { config, encryption } }: FollowUpsProps) {
    super(scope, id);
    const { serviceName, deadLetters } = poller;
    const queue = new GuardedQueue(this, 'Queue', {
      ...buildQueueProps(serviceName, encryption.customerKey),
      retentionPeriod: RETENTION,
      visibilityTimeout: Duration.seconds(config.functions.timeoutSeconds),
      deadLetters,
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 1 },
    });
    poller.function.addEnvironment(ENVIRONMENT.followUpQueueUrl, queue.queueUrl);
    allowSending(poller.role, [queue]);
    allowReceiving(poller.role, queue);
    encryption.allowSending(poller.role);
    encryption.allowReceiving(poller.role);
    const mapping = new EventSourceMapping(this, 'Trigger', {
      target: poller.function,
      eventSourceArn: queue.queueArn,
      batchSize: 1,
    });
    acknowledge(mapping, 'LambdaEventSourceMappingDestination', 'its queue has dead letters');
  }
}
