import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import { allowSending } from '../foundation/queues.ts';
import type { Topics } from '../foundation/topics.ts';

export interface ReplayerProps {
  readonly context: StackContext;
  readonly topics: Topics;
  /** Queues of subscriptions and webhooks that a replay may target. */
  readonly queues: readonly IQueue[];
}

/**
 * Publishes logged events again, to the topics or to one queue, and sends the state of records to one queue. The command line invokes it and shows how it ends, so
 * that no alarm need say it.
 */
export class Replayer extends NotifierFunction {
  constructor(scope: Construct, id: string, { context, topics, queues }: ReplayerProps) {
    const { config, encryption, table } = context;
    super(scope, id, {
      context,
      code: 'replay-events',
      description: 'Publishes logged events again, and sends snapshots of records',
      timeoutSeconds: 300,
      memoryMb: 512,
      environment: topics.environment,
      startedBy: 'invocation',
    });
    table.allowRead(
      this.role,
      config.connections.map(({ name }) => `${name}#*#events#*`),
      ['Query'],
    );
    if (queues.length > 0)
      table.allowReadingRecords(
        this.role,
        config.connections.map(({ name }) => name),
      );
    topics.allowPublish(this.role, EVENT_TOPIC_NAMES);
    if (queues.length > 0) {
      allowSending(this.role, queues);
      encryption.allowSending(this.role);
    }
  }
}
