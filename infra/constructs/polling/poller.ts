import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { ENVIRONMENT, EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { POLL_MINUTES, POLL_TIMEOUT_SECONDS } from '#shared/config/poll-times.ts';
import type { PolledFeed, PollRequest } from '#shared/config/requests/poll-request.ts';
import { listPolledFeeds, listPublishedFeeds } from '#shared/config/schema/directory.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { listSummaryTimes } from '#shared/config/schema/people.ts';
import { toConnectionPartitions } from '#shared/config/table.ts';
import { NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import { allowReceiving, allowSending, buildQueueProps, GuardedQueue } from '../foundation/queues.ts';
import { Schedules } from '../foundation/schedules.ts';
import type { Topics } from '../foundation/topics.ts';

export interface PollerProps {
  readonly context: StackContext;
  readonly topics: Topics;
}

/** The function that polls, with a schedule for each connection, and the queue of what follows within its minute. */
export class Poller extends NotifierFunction {
  constructor(scope: Construct, id: string, { context, topics }: PollerProps) {
    const { config, table } = context;
    super(scope, id, {
      context,
      code: 'poll',
      callsOut: true,
      description: 'Polls each connection and publishes what changed',
      timeoutSeconds: POLL_TIMEOUT_SECONDS,
      memoryMb: config.poll.memoryMb,
      environment: { ...topics.environment, [ENVIRONMENT.stackName]: config.stackName },
      startedBy: 'invocation',
      // A poll starts the next one within its minute by a message.
      sendsToItself: true,
    });
    new FollowUps(this, 'FollowUps', { poller: this, context });
    table.allowUse(
      this.role,
      config.connections.map(({ name }) => toConnectionPartitions(name)),
    );
    table.allowDescribing(this.role);
    const isSilent = !config.poll.directory;
    topics.allowPublish(
      this.role,
      EVENT_TOPIC_NAMES.filter((name) => !(isSilent && name === 'directory')),
    );
    this.allowReadingSecrets(listSecrets(config));
    new Schedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      schedule: ScheduleExpression.rate(Duration.minutes(POLL_MINUTES)),
      inputs: new Map(buildRequests(config)),
    });
  }
}

/** What the schedule of each connection sends: the whole connection. */
function buildRequests(config: NotifierConfig): [string, PollRequest][] {
  const summaries = listSummaryTimes(config.people);
  const published = listPublishedFeeds(config);
  const feeds = listPolledFeeds(config).map(
    (name): PolledFeed => ({ name, silent: !published.includes(name) }),
  );
  return config.connections.map((connection) => [
    connection.name,
    { connection, feeds, ...(summaries.length === 0 ? {} : { summaries }) },
  ]);
}

/** Of the sources, and of heartbeats. */
function listSecrets({ connections }: NotifierConfig): string[] {
  const heartbeats = connections.flatMap(({ heartbeat }) => heartbeat?.secretName ?? []);
  return [...connections.map(({ secretName }) => secretName), ...heartbeats];
}

interface FollowUpsProps {
  readonly poller: NotifierFunction;
  readonly context: StackContext;
}

/** A follow-up that failed goes to the dead letters when it would be received again, which is after the timeout of the function. */
const FOLLOW_UP_RETENTION = Duration.hours(1);

/**
 * Messages by which a poll starts the next one within its minute, so that nobody pays for its waiting (ADR 41). The next
 * scheduled poll makes up for one that is lost; one that comes while another poll runs does nothing.
 */
class FollowUps extends Construct {
  constructor(scope: Construct, id: string, { poller, context: { encryption } }: FollowUpsProps) {
    super(scope, id);
    const { serviceName, deadLetters } = poller;
    const queue = new GuardedQueue(this, 'Queue', {
      ...buildQueueProps(serviceName, encryption.customerKey),
      retentionPeriod: FOLLOW_UP_RETENTION,
      visibilityTimeout: Duration.seconds(POLL_TIMEOUT_SECONDS),
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
