import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { ENVIRONMENT, type EventTopicName } from '#shared/config/names.ts';
import {
  DIRECTORY_POLL_MINUTES,
  POLL_MINUTES,
  POLL_TIMEOUT_SECONDS,
  REREAD_FOR_SECONDS,
} from '#shared/config/poll-times.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { listPolledFeeds } from '#shared/config/schema/directory.ts';
import type { NotifierConfig, ScheduledFeed } from '#shared/config/schema/notifier-config.ts';
import { listSummaryTimes } from '#shared/config/schema/people.ts';
import { toMembershipPartition } from '#shared/config/table.ts';
import { type FeedName, isDirectoryFeed } from '#shared/core/feeds.ts';
import { NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import { allowReceiving, allowSending, buildQueueProps, GuardedQueue } from '../foundation/queues.ts';
import { Schedules } from '../foundation/schedules.ts';
import type { Topics } from '../foundation/topics.ts';

export interface PollerProps {
  readonly feed: ScheduledFeed;
  readonly context: StackContext;
  readonly topics: Topics;
  /** Of the poller before: one alarm is about both. */
  readonly deadLetters?: GuardedQueue;
}

/** Topics that the events of a feed go to. */
const TOPICS_BY_FEED: Readonly<Record<FeedName, readonly EventTopicName[]>> = {
  timesheets: ['timesheets', 'clockings', 'operations'],
  'pay-periods': ['pay-periods', 'operations'],
  employees: ['directory', 'operations'],
  departments: ['directory', 'operations'],
};

/**
 * What a feed reads and never writes, besides the state of the other: closed periods are counted by their timesheets, and
 * timesheets know who belongs to which calendar.
 */
const READS = {
  timesheets: { toPartition: toMembershipPartition, operations: ['Query'] },
  'pay-periods': {
    toPartition: (connection: string) => `${connection}#timesheets*`,
    operations: ['BatchGetItem', 'Query'],
  },
} as const;

/**
 * Partitions of what a poll reads in one request, of its own feed and of the other: one statement must allow all of them,
 * and a policy has a limit. Of the feeds, timesheets and pay periods alone have an `i`.
 */
const STATES = '*i*s';
const STATES_WITH_DIRECTORY = '*s';

/** The function that polls a feed, with its schedules, one for each connection. */
export class Poller extends NotifierFunction {
  constructor(scope: Construct, id: string, { feed, context, topics, deadLetters }: PollerProps) {
    const { config, table } = context;
    const hasFollowUps = feed === 'timesheets';
    super(scope, id, {
      context,
      code: `poll-${feed}`,
      callsOut: true,
      description: `Polls ${feed} and publishes what changed`,
      timeoutSeconds: POLL_TIMEOUT_SECONDS,
      memoryMb: config.poll.memoryMb,
      environment: { ...topics.environment, [ENVIRONMENT.stackName]: config.stackName },
      startedBy: 'invocation',
      ...(deadLetters === undefined ? {} : { deadLetters }),
      // A follow-up is started by a message of the poll before.
      sendsToItself: hasFollowUps,
    });
    if (hasFollowUps) new FollowUps(this, 'FollowUps', { poller: this, context });
    const connections = config.connections.map(({ name }) => name);
    const polled = listPolledBy(feed, config);
    const own = polled.flatMap((each) => connections.map((name) => `${name}#${each}*`));
    const membership = connections.map(toMembershipPartition);
    table.allowUse(this.role, feed === 'pay-periods' ? [...own, ...membership] : own);
    table.allowCheckingFences(this.role, listFenced(feed, config));
    const states = polled.length === 1 ? STATES : STATES_WITH_DIRECTORY;
    table.allowReadingStates(
      this.role,
      connections.map((name) => `${name}#${states}`),
    );
    const { toPartition, operations } = READS[feed];
    table.allowRead(this.role, connections.map(toPartition), operations);
    table.allowDescribing(this.role);
    topics.allowPublish(this.role, [...new Set(polled.flatMap((each) => TOPICS_BY_FEED[each]))]);
    this.allowReadingSecrets(listSecrets(feed, config));
    const schedules = new Schedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      schedule: ScheduleExpression.rate(Duration.minutes(POLL_MINUTES)),
      inputs: new Map(buildRequests(feed, config)),
    });
    if (feed === 'pay-periods') addDirectory(schedules, config);
  }
}

/** What the schedule of each connection sends: the whole connection (ADR 4). */
function buildRequests(feed: ScheduledFeed, config: NotifierConfig): [string, PollRequest][] {
  const times = feed === 'pay-periods' ? listSummaryTimes(config.people) : [];
  return config.connections.map((connection) => [
    connection.name,
    {
      connection,
      scope: 'due',
      repeatForSeconds: feed === 'timesheets' ? REREAD_FOR_SECONDS : 0,
      ...(times.length === 0 ? {} : { summaries: times }),
    },
  ]);
}

/** The feeds that the function of a feed polls. */
function listPolledBy(feed: ScheduledFeed, config: NotifierConfig): readonly FeedName[] {
  return feed === 'timesheets' ? [feed] : listPolledFeeds(config).filter((each) => each !== 'timesheets');
}

/** The function of pay periods, which has little to do, polls the directory as well. */
function addDirectory(schedules: Schedules, config: NotifierConfig): void {
  const feeds = listPolledFeeds(config).filter(isDirectoryFeed);
  if (feeds.length === 0) return;
  const isSilent = !config.poll.directory;
  const requests = config.connections.flatMap((connection) =>
    feeds.map((feed): [string, PollRequest] => [
      `${connection.name}.${feed}`,
      { connection, scope: 'due', repeatForSeconds: 0, feed, isSilent },
    ]),
  );
  const rate = ScheduleExpression.rate(Duration.minutes(DIRECTORY_POLL_MINUTES));
  schedules.add(rate, new Map(requests));
}

/** Partitions of the connections that have watermarks. */
function listFenced(feed: ScheduledFeed, { connections }: NotifierConfig): string[] {
  return connections.flatMap(({ name, watermark }) => (watermark ? [`${name}#${feed}*`] : []));
}

/** Of the sources, and of heartbeats: polls of timesheets send them for both feeds. */
function listSecrets(feed: ScheduledFeed, { connections }: NotifierConfig): string[] {
  const heartbeats = connections.flatMap(({ heartbeat }) => heartbeat?.secretName ?? []);
  const sources = connections.map(({ secretName }) => secretName);
  return feed === 'timesheets' ? [...sources, ...heartbeats] : sources;
}

interface FollowUpsProps {
  readonly poller: NotifierFunction;
  readonly context: StackContext;
}

/** A follow-up that failed goes to the dead letters when it would be received again, which is after the timeout of the function. */
const FOLLOW_UP_RETENTION = Duration.hours(1);

/**
 * Messages by which a poll starts the next one within its minute, so that nobody pays for its waiting (ADR 41). The next
 * scheduled poll makes up for one that is lost; one that comes late starts nothing.
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
