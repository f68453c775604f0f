import { Duration } from 'aws-cdk-lib';
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IRole } from 'aws-cdk-lib/aws-iam';
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
import { RELEASE_TIMEOUT_SECONDS } from '#shared/people/when.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { createLog, NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import { QueueFunction } from '../foundation/queue-function.ts';
import { allowSending } from '../foundation/queues.ts';
import { Schedules } from '../foundation/schedules.ts';
import type { Topics } from '../foundation/topics.ts';
import { type FilterPolicy, subscribeToEvents } from '../subscribers/event-subscriptions.ts';
import { ChatDelivery } from './chat-delivery.ts';

/** Beginnings of the ids of constructs, by kind of channel. */
const CONSTRUCTS: Readonly<Record<ChatKind, string>> = { slack: 'Slack', teams: 'Teams' };

export interface AlertPipelineProps {
  readonly context: StackContext;
  readonly topics: Topics;
}

/** The way from events to people: collect -> release, at once or each minute -> Slack or Teams, or the topic `alerts` and so the mailboxes (ADR 7). */
export class AlertPipeline extends Construct {
  readonly functions: readonly NotifierFunction[];

  constructor(scope: Construct, id: string, props: AlertPipelineProps) {
    super(scope, id);
    this.functions = props.context.config.people.channels.length === 0 ? [] : this.createFunctions(props);
  }

  private createFunctions({ context, topics }: AlertPipelineProps): NotifierFunction[] {
    const chats = this.createChats(context);
    const collector = new AlertCollector(this, 'Collect', { context, topics, chats });
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

interface TellingProps {
  readonly context: StackContext;
  readonly topics: Topics;
  /** By the names of their channels. */
  readonly chats: ReadonlyMap<string, ChatDelivery>;
}

/** Where messages go. */
function buildEnvironment({ topics, chats }: TellingProps): Readonly<Record<string, string>> {
  const [first] = chats.values();
  return {
    [ENVIRONMENT.alertsTopicArn]: topics.alerts.topicArn,
    ...(first === undefined ? {} : { [ENVIRONMENT.chatQueueUrl]: first.queue.queueUrl }),
  };
}

/** Allows to make messages of the events that wait, with names and dates, and to send them to Slack, Teams and mailboxes. */
function allowTelling(role: IRole, { context, topics, chats }: TellingProps): void {
  const { config, encryption, table } = context;
  table.allowUse(role, ['alerts#*', 'deliveries#*'], OPERATIONS);
  const feeds = ['pay-periods', ...listPolledFeeds(config).filter(isDirectoryFeed)];
  const partitionKeys = config.connections.flatMap(({ name }) => [
    toHeadsPartition(name),
    ...feeds.map((feed) => `${name}#${feed}#*`),
  ]);
  table.allowRead(role, partitionKeys, ['BatchGetItem', 'Query']);
  topics.allowPublishAlerts(role);
  if (chats.size === 0) return;
  allowSending(
    role,
    [...chats.values()].map(({ queue }) => queue),
  );
  encryption.allowSending(role);
}

const OPERATIONS = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'] as const;

const TIMEOUT_SECONDS = 60;
/** Little more than the timeout: an event that is redelivered late would be reported after its own reversal. */
const VISIBILITY_TIMEOUT_SECONDS = 75;
const RETRY_PERIOD_SECONDS = 3_600;

/** Receives the events that channels need, puts them into each channel, and sends what is due at once. */
class AlertCollector extends QueueFunction {
  constructor(scope: Construct, id: string, props: TellingProps) {
    const { config, alarmTopic } = props.context;
    const topics = props.topics.events;
    super(scope, id, {
      context: props.context,
      code: 'collect-alerts',
      description: 'Keeps events for the channels of people, and sends what is due at once',
      timeoutSeconds: TIMEOUT_SECONDS,
      memoryMb: 256,
      environment: buildEnvironment(props),
      visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
      maxReceives: RETRY_PERIOD_SECONDS / VISIBILITY_TIMEOUT_SECONDS,
    });
    allowTelling(this.role, props);
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
    this.addLateAlarm('collect-alerts', alarmTopic);
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

/** Runs every minute: makes messages of the events that are due, and sends them. */
class AlertReleaser extends NotifierFunction {
  constructor(scope: Construct, id: string, props: TellingProps) {
    const { alarmTopic } = props.context;
    super(scope, id, {
      context: props.context,
      code: 'release-alerts',
      description: 'Sends the messages that are due',
      timeoutSeconds: RELEASE_TIMEOUT_SECONDS,
      memoryMb: 256,
      environment: buildEnvironment(props),
      startedBy: 'invocation',
    });
    allowTelling(this.role, props);
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
