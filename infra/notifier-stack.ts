import { Stack, type StackProps, Token } from 'aws-cdk-lib';
import type { ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EventTopicName } from '#shared/config/names.ts';
import {
  DEFAULT_STACK_NAME,
  type NotifierConfig,
  type NotifierConfigInput,
  parseNotifierConfig,
} from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { AlertPipeline, Mailboxes } from './constructs/alerts/alert-pipeline.ts';
import { Encryption, type EncryptionChoice } from './constructs/foundation/encryption.ts';
import { fitPolicies } from './constructs/foundation/inline-policy-role.ts';
import type { Network, StackContext } from './constructs/foundation/notifier-function.ts';
import { admitOperators } from './constructs/foundation/queues.ts';
import { StackParameters } from './constructs/foundation/stack-parameters.ts';
import { StateTable } from './constructs/foundation/state-table.ts';
import { Topics } from './constructs/foundation/topics.ts';
import { Watch } from './constructs/foundation/watch.ts';
import { PollAlarms } from './constructs/polling/poll-alarms.ts';
import { Poller } from './constructs/polling/poller.ts';
import { DeliveryCheck, listSubscriptions } from './constructs/subscribers/delivery-check.ts';
import { SubscriberQueue } from './constructs/subscribers/subscriber-queue.ts';
import { createWebhookEndpoints } from './constructs/webhooks/webhook-endpoint.ts';
import { checkAccounts } from './settings.ts';
import { checkStackSize, warnOfConfig } from './warnings.ts';

export interface WorkforceNotifierProps {
  /** The config, as `notifier.config.ts` has it, but for the name of the stack. */
  readonly config: Omit<NotifierConfigInput, 'stackName'>;
  /** Runs the functions that call out of AWS in a VPC of yours. Default: in none. */
  readonly network?: Network | undefined;
  /** Default: `aws-managed`. */
  readonly encryption?: EncryptionChoice | undefined;
  /**
   * Name of a table to continue with, in the account and region of the stack, such as one that was restored. The table
   * that the stack made before stays, outside of the stack. Default: a table of the stack's own.
   */
  readonly existingTable?: string | undefined;
  /**
   * ARNs of the IAM roles and users of people who send to queues and read them by hand (`test`,
   * `deliveries --resend`, a redrive), or subscribe to topics. The policies of queues and topics deny it to everybody
   * else but the stack and who deploys it, whatever other policies allow. Default: nobody.
   */
  readonly operators?: readonly string[] | undefined;
}

/**
 * Everything that runs in AWS, within a stack whose name begins the names of all parts: one for each stack. Throws
 * `config_invalid`.
 */
export class WorkforceNotifier extends Construct {
  /** Where events are published, to subscribe to and to let others subscribe (`grantSubscribe`). */
  readonly topics: Readonly<Record<EventTopicName, ITopic>>;
  /** The queues of `queues` of the config, by name. */
  readonly queues: Readonly<Record<string, IQueue>>;
  readonly table: ITable | Table;
  /** All functions, such as for a key that lets them decrypt their secrets. */
  readonly functions: readonly IFunction[];

  constructor(scope: Construct, id: string, { config, ...props }: WorkforceNotifierProps) {
    super(scope, id);
    refuseSecond(this);
    const { stackName } = Stack.of(this);
    if (Token.isUnresolved(stackName)) {
      throw new NotifierError(
        'config_invalid',
        `${this.node.path}: a nested stack has no name before it is deployed; put WorkforceNotifier into the stack around it`,
      );
    }
    const parsed = parseNotifierConfig({ ...config, stackName }, id === WHOLE ? stackName : this.node.path);
    checkAccounts(this, parsed);
    const { topics, table, subscribers } = layOut(this, parsed, props);
    this.topics = topics.events;
    this.table = table.table;
    this.queues = Object.fromEntries(
      parsed.queues.flatMap(({ name }, at) => {
        const queue = subscribers[at]?.queue;
        return queue === undefined ? [] : [[name, queue]];
      }),
    );
    this.functions = this.node.findAll().filter((part) => part instanceof LambdaFunction);
  }
}

/** The id of which the CDK makes no part of names. */
const WHOLE = 'Default';

export interface NotifierStackProps extends StackProps, Omit<WorkforceNotifierProps, 'config'> {
  readonly config: NotifierConfigInput;
}

/** The same as a stack of its own, with the name that the config gives. */
export class NotifierStack extends Stack {
  readonly notifier: WorkforceNotifier;

  constructor(scope: Construct, props: NotifierStackProps) {
    const { config, network, encryption, existingTable, operators, ...own } = props;
    const { stackName = DEFAULT_STACK_NAME, ...rest } = config;
    super(scope, stackName, { description: 'Workforce change notifier', ...own });
    this.notifier = new WorkforceNotifier(this, WHOLE, {
      ...{ config: rest, network, encryption, existingTable, operators },
    });
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

type Choices = Omit<WorkforceNotifierProps, 'config'>;

/**
 * The parts in the order of the data: what the stages share, the poller with all stages from schedule to publish, then
 * the delivery to people and to systems, each from the topics.
 */
function layOut(
  scope: Construct,
  config: NotifierConfig,
  { network, encryption: choice = 'aws-managed', existingTable, operators = [] }: Choices,
) {
  warnOfConfig(scope, config);
  new Watch(scope);

  // what the stages share: commits go to the table, events to the topics
  const encryption = new Encryption(scope, 'Encryption', choice);
  const table = new StateTable(scope, 'State', { customerKey: encryption.customerKey, existingTable });
  const topics = new Topics(scope, 'Topics', { encryption, operators });
  const alarmTopic = resolveAlarmTopic(scope, topics, config);
  const context: StackContext = { config, network, encryption, table, alarmTopic };

  // schedule -> plan -> fetch -> compare -> commit -> publish
  new Poller(scope, 'Poll', { context, topics });
  new PollAlarms(scope, 'PollAlarms', { config, alarmTopic });

  // deliver to people
  new Mailboxes(scope, 'Mailboxes', { config, alerts: topics.alerts });
  const alertPipeline = new AlertPipeline(scope, 'People', { context, topics });

  // deliver to systems
  const ofQueues = { topics: topics.events, encryptionKey: encryption.customerKey, alarmTopic };
  const subscribers = config.queues.map(
    (each) => new SubscriberQueue(scope, `Queue-${each.name}`, { of: each, ...ofQueues }),
  );
  const webhooks = createWebhookEndpoints(scope, { context, topics });

  // look whether what was published is tried
  const subscriptions = listSubscriptions(scope);
  if (subscriptions.length > 0) new DeliveryCheck(scope, 'DeliveryCheck', { context, topics, subscriptions });

  // the names by which the command line finds all queues
  const findable = [...alertPipeline.functions, ...subscribers, ...webhooks];
  new StackParameters(scope, 'Directory', { table, topics, parts: findable.flatMap(({ parts }) => parts) });

  admitOperators(scope, operators);
  keepWithinLimits(scope);
  return { topics, table, subscribers };
}

/** Throws `config_invalid` when a part is larger than AWS takes. */
function keepWithinLimits(scope: Construct): void {
  checkStackSize(scope);
  fitPolicies(scope);
  // A policy that did not fit its role counts as well.
  checkStackSize(scope);
}

/** The topic for alarms: `alerts`, or an existing one. */
function resolveAlarmTopic(scope: Construct, { alerts }: Topics, { alarms }: NotifierConfig): ITopic {
  return alarms.topicArn === undefined ? alerts : Topic.fromTopicArn(scope, 'AlarmTopic', alarms.topicArn);
}
