import { Stack, type StackProps, Tags, Token } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { EVENT_TOPIC_NAMES, type EventTopicName } from '#shared/config/names.ts';
import {
  type NotifierConfig,
  type NotifierConfigInput,
  parseNotifierConfig,
} from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { AlertPipeline, Mailboxes } from './constructs/alerts/alert-pipeline.ts';
import { Encryption } from './constructs/foundation/encryption.ts';
import { fitPolicies } from './constructs/foundation/inline-policy-role.ts';
import type { AlarmTopics } from './constructs/foundation/notifier-alarm.ts';
import type { StackContext } from './constructs/foundation/notifier-function.ts';
import { admitOperators } from './constructs/foundation/queues.ts';
import { StackParameters } from './constructs/foundation/stack-parameters.ts';
import { StateTable } from './constructs/foundation/state-table.ts';
import { Topics } from './constructs/foundation/topics.ts';
import { Watch } from './constructs/foundation/watch.ts';
import { PollTroubles } from './constructs/polling/poll-troubles.ts';
import { Poller } from './constructs/polling/poller.ts';
import { listSubscriptions, listTargets, Replayer } from './constructs/subscribers/replayer.ts';
import { SubscriberQueue } from './constructs/subscribers/subscriber-queue.ts';
import { createWebhookEndpoints } from './constructs/webhooks/webhook-endpoint.ts';
import { checkAccounts } from './settings.ts';
import { checkStackSize, warnOfConfig } from './warnings.ts';

export interface NotifierStackProps extends StackProps {
  readonly config: NotifierConfig;
  /** Account that it is deployed to, as far as that is known when it is synthesized. */
  readonly account?: string | undefined;
}

/** Everything that runs in AWS, as a stack of its own. */
export class NotifierStack extends Stack {
  constructor(scope: Construct, { config, account, ...props }: NotifierStackProps) {
    const known = config.account ?? account;
    if (known !== undefined) checkAccounts(config, known);
    const { account: own, region } = config;
    const env = {
      ...(own === undefined ? {} : { account: own }),
      ...(region === undefined ? {} : { region }),
    };
    super(scope, config.stackName, { description: 'Workforce change notifier', env, ...props });
    layOut(this, config);
  }
}

export interface WorkforceNotifierProps {
  /** The config, as `notifier.config.ts` has it. The stack has a name and a place of its own. */
  readonly config: Omit<NotifierConfigInput, 'stackName' | 'account' | 'region'>;
}

/**
 * The same within another stack, whose name begins the names of all parts: one for each stack. Throws `config_invalid`.
 */
export class WorkforceNotifier extends Construct {
  /** Where events are published, to subscribe to. */
  readonly topics: Readonly<Record<EventTopicName, ITopic>>;

  constructor(scope: Construct, id: string, { config }: WorkforceNotifierProps) {
    super(scope, id);
    refuseSecond(this);
    const { stackName, account } = Stack.of(this);
    if (Token.isUnresolved(stackName)) {
      throw new NotifierError(
        'config_invalid',
        `${this.node.path}: a nested stack has no name before it is deployed; put WorkforceNotifier into the stack around it`,
      );
    }
    const parsed = parseNotifierConfig({ ...config, stackName }, this.node.path);
    if (!Token.isUnresolved(account)) checkAccounts(parsed, account);
    this.topics = layOut(this, parsed).events;
  }
}

/** Throws `config_invalid` when another one is in the stack already. */
function refuseSecond(own: WorkforceNotifier): void {
  const stack = Stack.of(own);
  const first = stack.node
    .findAll()
    .find((part) => part instanceof WorkforceNotifier && Stack.of(part) === stack);
  if (first === undefined || first === own) return;
  throw new NotifierError(
    'config_invalid',
    `${own.node.path}: ${first.node.path} is in the same stack, whose name begins the names of all parts; put this one into another stack, or its connections, channels and webhooks into the config of the first`,
  );
}

/**
 * The parts in the order of the data: what the stages share, the pollers with all stages from schedule to publish, then
 * the delivery to people and to systems, each from the topics, and replay.
 */
function layOut(scope: Construct, config: NotifierConfig): Topics {
  for (const [key, value] of Object.entries(config.tags)) Tags.of(scope).add(key, value);
  if (config.permissionsBoundary !== undefined) boundRoles(scope, config.permissionsBoundary);
  warnOfConfig(scope, config);
  new Watch(scope);

  // what the stages share: commits go to the table, events to the topics
  const encryption = new Encryption(scope, 'Encryption', config.encryption);
  const { existingTable } = config;
  const table = new StateTable(scope, 'State', { customerKey: encryption.customerKey, existingTable });
  const topics = new Topics(scope, 'Topics', { encryption, config });
  const alarmTopics = resolveAlarmTopics(scope, topics, config);
  addTopicAlarms(topics, alarmTopics, config);
  const context: StackContext = { config, encryption, table, alarmTopics };

  // schedule -> plan -> fetch -> compare -> commit -> publish
  const timesheets = new Poller(scope, 'PollTimesheets', { feed: 'timesheets', context, topics });
  const { deadLetters } = timesheets;
  const ofPayPeriods = { feed: 'pay-periods', context, topics, deadLetters } as const;
  const pollers = [timesheets, new Poller(scope, 'PollPayPeriods', ofPayPeriods)];
  new PollTroubles(scope, 'PollTroubles', { config, alarmTopics });

  // deliver to people
  new Mailboxes(scope, 'Mailboxes', { config, alerts: topics.alerts });
  const alertPipeline = new AlertPipeline(scope, 'People', { context, topics });

  // deliver to systems
  const ofQueues = { topics: topics.events, encryptionKey: encryption.customerKey, alarmTopics };
  const subscribers = config.subscriptions.map(
    (each) => new SubscriberQueue(scope, `Subscription-${each.name}`, { subscription: each, ...ofQueues }),
  );
  const webhooks = createWebhookEndpoints(scope, { context, topics });

  // replay, and the names by which the command line finds all parts
  const systems = [...subscribers, ...webhooks];
  const targets = listTargets(config, { subscribers, webhooks });
  const ofReplay = { context, topics, subscriptions: listSubscriptions(scope), ...targets };
  const replayer = new Replayer(scope, 'Replay', ofReplay);
  const findable = [...pollers, ...alertPipeline.functions, ...systems, replayer];
  new StackParameters(scope, 'Directory', { table, topics, parts: findable.flatMap(({ parts }) => parts) });

  admitOperators(scope, config.operators);
  keepWithinLimits(scope);
  return topics;
}

/** Where somebody subscribes whom the config does not name: to topics that carry something. */
function addTopicAlarms(topics: Topics, alarmTopics: AlarmTopics, config: NotifierConfig): void {
  const { alarms, subscriberAccounts, schedules } = config;
  if (!alarms.otherSubscribers && subscriberAccounts.length === 0) return;
  const isUsed = (name: EventTopicName) => name !== 'directory' || schedules.directory !== undefined;
  topics.addAlarms(alarmTopics, EVENT_TOPIC_NAMES.filter(isUsed));
}

/** Throws `config_invalid` when a part is larger than AWS takes. */
function keepWithinLimits(scope: Construct): void {
  checkStackSize(scope);
  fitPolicies(scope);
  // A policy that did not fit its role counts as well.
  checkStackSize(scope);
}

/** Bounds every role below a construct by a policy, given by name or ARN. */
function boundRoles(scope: Construct, policy: string): void {
  const boundary = policy.startsWith('arn:')
    ? ManagedPolicy.fromManagedPolicyArn(scope, 'Boundary', policy)
    : ManagedPolicy.fromManagedPolicyName(scope, 'Boundary', policy);
  PermissionsBoundary.of(scope).apply(boundary);
}

/** The topics for alarms: `alerts`, or existing ones. Filters by severity choose the addresses of `alerts`. */
function resolveAlarmTopics(scope: Construct, { alerts }: Topics, { alarms }: NotifierConfig): AlarmTopics {
  const resolve = (id: string, topicArn: string | undefined) =>
    topicArn === undefined ? alerts : Topic.fromTopicArn(scope, id, topicArn);
  const critical = resolve('AlarmTopic', alarms.topicArn);
  const { warnings } = alarms;
  return {
    critical,
    warning: warnings === undefined ? critical : resolve('WarningTopic', warnings.topicArn),
  };
}
