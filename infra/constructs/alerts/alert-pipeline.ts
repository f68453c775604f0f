import { Duration } from 'aws-cdk-lib';
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { FilterOrPolicy, SubscriptionFilter, type Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, type EmailSubscriptionProps } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { CHANNEL_ATTRIBUTE, ENVIRONMENT, MESSAGE_ATTRIBUTES } from '#shared/config/names.ts';
import type { ReleaseRequest } from '#shared/config/requests/release-request.ts';
import { normalizeAddress } from '#shared/config/schema/channel.ts';
import { type ChatKind, isChat } from '#shared/config/schema/chat-kind.ts';
import { listPolledFeeds } from '#shared/config/schema/directory.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { findNeededTypes, findTypesNeededOnlyLate } from '#shared/config/schema/people.ts';
import { toHeadsPartition } from '#shared/config/table.ts';
import type { EventType } from '#shared/core/event-types.ts';
import { isDirectoryFeed } from '#shared/core/feeds.ts';
import { RELEASE_TIMEOUT_SECONDS } from '#shared/people/release.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { createLog, NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import { QueueFunction } from '../foundation/queue-function.ts';
import { allowSending } from '../foundation/queues.ts';
import { Schedules } from '../foundation/schedules.ts';
import type { Topics } from '../foundation/topics.ts';
import {
  type EventTopics,
  type FilterPolicy,
  subscribeToEvents,
} from '../subscribers/event-subscriptions.ts';
import { ChatDelivery } from './chat-delivery.ts';

/** Beginnings of the ids of constructs, by kind of channel. */
const CONSTRUCTS: Readonly<Record<ChatKind, string>> = { slack: 'Slack', teams: 'Teams' };

export interface AlertPipelineProps {
  readonly context: StackContext;
  readonly topics: Topics;
}

/** The way from events to people: collect -> release -> Slack or Teams, or the topic `alerts` and so the mailboxes (ADR 7). */
export class AlertPipeline extends Construct {
  readonly functions: readonly NotifierFunction[];

  constructor(scope: Construct, id: string, props: AlertPipelineProps) {
    super(scope, id);
    this.functions = props.context.config.people.channels.length === 0 ? [] : this.createFunctions(props);
  }

  private createFunctions({ context, topics }: AlertPipelineProps): NotifierFunction[] {
    const collector = new AlertCollector(this, 'Collect', { context, topics: topics.events });
    const chats = this.createChats(context);
    const releaser = new AlertReleaser(this, 'Release', { context, topics, chats });
    return [collector, releaser, ...chats.values()];
  }

  /** By the names of their channels. Their functions write one log. */
  private createChats(context: StackContext): ReadonlyMap<string, ChatDelivery> {
    const channels = context.config.people.channels.filter(isChat);
    if (channels.length === 0) return new Map();
    const log = createLog(new Construct(this, 'Chats'), context);
    const chats = channels.map((channel): [string, ChatDelivery] => {
      const id = `${CONSTRUCTS[channel.kind]}-${channel.name}`;
      return [channel.name, new ChatDelivery(this, id, { context, channel, log })];
    });
    return new Map(chats);
  }
}

const TIMEOUT_SECONDS = 60;
/** Little more than the timeout: an event that is redelivered late would be reported after its own reversal. */
const VISIBILITY_TIMEOUT_SECONDS = 75;
const RETRY_PERIOD_SECONDS = 3_600;

interface AlertCollectorProps {
  readonly context: StackContext;
  readonly topics: EventTopics;
}

/** Receives the events that channels need, and stores the alerts of each channel. */
class AlertCollector extends QueueFunction {
  constructor(scope: Construct, id: string, { context, topics }: AlertCollectorProps) {
    const { config, table } = context;
    super(scope, id, {
      context,
      code: 'collect-alerts',
      description: 'Stores alerts of events for the channels of people',
      timeoutSeconds: TIMEOUT_SECONDS,
      memoryMb: 256,
      environment: {},
      visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
      maxReceives: RETRY_PERIOD_SECONDS / VISIBILITY_TIMEOUT_SECONDS,
    });
    table.allowUse(this.role, ['alerts#*', 'deliveries#*'], ['GetItem', 'PutItem']);
    const named = listPolledFeeds(config).filter(isDirectoryFeed);
    const partitionKeys = config.connections.flatMap(({ name }) => [
      toHeadsPartition(name),
      ...named.map((feed) => `${name}#${feed}#*`),
    ]);
    if (named.length > 0) table.allowRead(this.role, partitionKeys, ['BatchGetItem', 'Query']);
    const lateOnly = findTypesNeededOnlyLate(config.people);
    const wanted = [...findNeededTypes(config.people)].map(
      ([name, types]) => [name, buildTypeFilterPolicy(types, lateOnly)] as const,
    );
    subscribeToEvents(this, {
      topics,
      wanted: new Map(wanted),
      endpoint: this.queue.queueArn,
      deadLetters: this.deadLetters,
    });
    this.queue.allowTopics(wanted.map(([name]) => topics[name]));
    this.addLateAlarm('collect-alerts', context.alarmTopic);
  }
}

/**
 * Events of these types. Types that channels need only when they are late are filtered here, since most of their events
 * are in time and need not invoke the function.
 */
function buildTypeFilterPolicy(types: readonly EventType[], lateOnly: ReadonlySet<EventType>): FilterPolicy {
  const { type, late } = MESSAGE_ATTRIBUTES;
  const always = types.filter((each) => !lateOnly.has(each));
  const whenLate = types.filter((each) => lateOnly.has(each));
  const groups: Readonly<Record<string, string[]>>[] = [
    ...(always.length === 0 ? [] : [{ [type]: always }]),
    ...(whenLate.length === 0 ? [] : [{ [type]: whenLate, [late]: ['true'] }]),
  ];
  return groups.length === 1 ? buildAllowlists(groups[0]) : { $or: new SubscriptionFilter(groups) };
}

function buildAllowlists(group: Readonly<Record<string, string[]>> = {}): FilterPolicy {
  const filters = Object.entries(group).map(
    ([name, allowlist]) => [name, SubscriptionFilter.stringFilter({ allowlist })] as const,
  );
  return Object.fromEntries(filters);
}

const OPERATIONS = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'] as const;

interface AlertReleaserProps {
  readonly context: StackContext;
  readonly topics: Topics;
  /** By the names of their channels. */
  readonly chats: ReadonlyMap<string, ChatDelivery>;
}

/**
 * Runs every minute: makes messages of the alerts that are due, and passes them to queues of Slack and Teams and the topic `alerts`.
 */
class AlertReleaser extends NotifierFunction {
  constructor(scope: Construct, id: string, { context, topics, chats }: AlertReleaserProps) {
    const { encryption, table, alarmTopic } = context;
    const [first] = chats.values();
    super(scope, id, {
      context,
      code: 'release-alerts',
      description: 'Sends the alerts that are due',
      timeoutSeconds: RELEASE_TIMEOUT_SECONDS,
      memoryMb: 256,
      environment: {
        [ENVIRONMENT.alertsTopicArn]: topics.alerts.topicArn,
        ...(first === undefined ? {} : { [ENVIRONMENT.chatQueueUrl]: first.queue.queueUrl }),
      },
      startedBy: 'invocation',
    });
    table.allowUse(this.role, ['alerts#*', 'deliveries#*'], OPERATIONS);
    topics.allowPublishAlerts(this.role);
    if (chats.size > 0) {
      allowSending(
        this.role,
        [...chats.values()].map(({ queue }) => queue),
      );
      encryption.allowSending(this.role);
    }
    const request: ReleaseRequest = { scope: 'due' };
    new Schedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      inputs: new Map([['due', request]]),
    });
    new NotifierAlarm(this, 'SilentAlarm', {
      alarm: 'messages-late',
      about: 'release-alerts',
      metric: this.function.metricInvocations({
        period: Duration.minutes(5),
        // By its name, since what watches it is in another stack.
        dimensionsMap: { FunctionName: this.serviceName },
      }),
      when: { below: 1 },
      periods: 3,
      missing: TreatMissingData.BREACHING,
      alarmTopic,
    });
  }
}

interface MailboxesProps {
  readonly config: NotifierConfig;
  readonly alerts: Topic;
}

/** Matches the body of alarms. They have no attributes, and SNS cannot match the absence of all attributes. */
const ALARMS_ONLY: EmailSubscriptionProps = {
  filterPolicyWithMessageBody: { AlarmName: FilterOrPolicy.filter(SubscriptionFilter.existsFilter()) },
};

/**
 * Mail subscriptions of the topic `alerts`: the addresses of a channel get its messages, the address for alarms gets
 * alarms. AWS asks every address to confirm. SNS allows an address one subscription per topic, so an address of several
 * channels, in any spelling, has one filter for all of them.
 */
export class Mailboxes extends Construct {
  constructor(scope: Construct, id: string, { config, alerts }: MailboxesProps) {
    super(scope, id);
    for (const [address, filter] of buildMailFilters(config)) {
      acknowledge(
        alerts.addSubscription(new EmailSubscription(address, filter)),
        'SNSRedrivePolicy',
        'undelivered mail can still be seen: alarms in CloudWatch, alerts in the table',
      );
    }
  }
}

/** By address, in its first spelling. */
function buildMailFilters({ people, alarms }: NotifierConfig): ReadonlyMap<string, EmailSubscriptionProps> {
  const spellings = new Map<string, string>();
  const channels = new Map<string, string[]>();
  for (const channel of people.channels) {
    if (channel.kind !== 'email') continue;
    for (const address of channel.addresses) {
      const first = spellings.get(normalizeAddress(address)) ?? address;
      spellings.set(normalizeAddress(address), first);
      channels.set(first, [...(channels.get(first) ?? []), channel.name]);
    }
  }
  const filters = new Map(
    [...channels].map(([address, allowlist]): [string, EmailSubscriptionProps] => [
      address,
      { filterPolicy: { [CHANNEL_ATTRIBUTE]: SubscriptionFilter.stringFilter({ allowlist }) } },
    ]),
  );
  if (alarms.email !== undefined) filters.set(alarms.email, ALARMS_ONLY);
  return filters;
}
