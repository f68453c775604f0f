import { Duration, Stack } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type AddToResourcePolicyResult,
  AnyPrincipal,
  Effect,
  type IRole,
  PolicyStatement,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import {
  type CfnQueuePolicy,
  type IQueue,
  Queue,
  QueueEncryption,
  QueuePolicy,
  type QueueProps,
  RedrivePermission,
} from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { partsPrefixOf } from '#infra/settings.ts';
import { QUEUE_RETENTION_DAYS } from '#shared/core/delivery-retention.ts';
import { type Admitted, admitDeployer, admitNobody, denyOthers } from './deny-others.ts';
import { NotifierAlarm } from './notifier-alarm.ts';

/** The longest that SQS keeps a message: time to find out why and to put it right. */
const RETENTION = Duration.days(QUEUE_RETENTION_DAYS);

/** With which events are withheld: they are taken away, put off, or thrown away. */
const READING_ACTIONS = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:PurgeQueue',
  'sqs:ReceiveMessage',
];
/** Of these, what no system does that processes its own queue. */
const EMPTYING_ACTIONS = ['sqs:PurgeQueue'];

interface GuardedQueueProps extends QueueProps {
  /** Systems of the account read it and its dead letters, by policies of their own. Default: functions of the stack alone. */
  readonly consumed?: boolean;
  /** Its dead letters, which have the same senders: the policy of theirs holds for both. */
  readonly deadLetters?: GuardedQueue;
}

/** Of the queue that a policy lies on: SQS takes no policy that names several. */
const ITSELF = '*';

/**
 * A queue to which only its senders send, and which only its readers read, whatever other policies of the account allow:
 * what lies in it is signed for webhooks and shown to people as it is, and nobody is to take it away. It shares its policy
 * with its dead letters, since each would count towards the 500 resources of a stack.
 */
export class GuardedQueue extends Queue {
  private readonly guard: QueueGuard;

  constructor(scope: Construct, id: string, { deadLetters, consumed, ...props }: GuardedQueueProps) {
    super(scope, id, props);
    this.guard = deadLetters?.guard ?? new QueueGuard(this, consumed === true);
    this.guard.cover(this);
  }

  /** Its name by the config, not by a reference: what watches it is in another stack. */
  override get queueName(): string {
    return this.physicalName;
  }

  override addToResourcePolicy(statement: PolicyStatement): AddToResourcePolicyResult {
    return this.guard.allow(statement);
  }

  /** Does not deny these roles and users to send; their own policies must allow it. */
  admit(...arns: readonly string[]): void {
    this.guard.senders.principals.push(...arns);
  }

  /** Does not deny these roles and users to read, either. */
  admitReaders(...arns: readonly string[]): void {
    this.guard.readers.principals.push(...arns);
  }

  /** Does not deny what SNS sends for these topics. */
  admitTopics(topics: readonly ITopic[]): void {
    this.guard.senders.sources.push(...topics.map(({ topicArn }) => topicArn));
  }

  /** Lets these topics deliver events. */
  allowTopics(topics: readonly ITopic[]): void {
    this.admitTopics(topics);
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'TopicsDeliver',
        principals: [new ServicePrincipal('sns.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': topics.map(({ topicArn }) => topicArn) } },
      }),
    );
  }
}

/** The policy of a queue and its dead letters, and who may send to them and read them. */
class QueueGuard {
  readonly senders = admitNobody();
  readonly readers: Admitted;
  private readonly policy: QueuePolicy;

  constructor(scope: Construct, consumed: boolean) {
    this.readers = admitDeployer(scope);
    this.policy = new QueuePolicy(scope, 'Policy', { queues: [] });
    this.policy.document.addStatements(
      new PolicyStatement({
        sid: 'OnlyByTls',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['sqs:*'],
        resources: [ITSELF],
        conditions: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
      denyOthers({
        sid: 'OnlyOurSenders',
        actions: ['sqs:SendMessage'],
        resourceArn: ITSELF,
        admitted: this.senders,
      }),
      denyOthers({
        sid: 'OnlyOurReaders',
        actions: consumed ? EMPTYING_ACTIONS : READING_ACTIONS,
        resourceArn: ITSELF,
        admitted: this.readers,
        exceptDeployments: true,
      }),
    );
  }

  /** CDK's own class takes the queues only when it is made. */
  cover({ queueUrl }: Queue): void {
    const resource = this.policy.node.defaultChild as CfnQueuePolicy;
    resource.queues = [...resource.queues, queueUrl];
  }

  allow(statement: PolicyStatement): AddToResourcePolicyResult {
    this.policy.document.addStatements(statement.copy({ resources: [ITSELF] }));
    return { statementAdded: true, policyDependable: this.policy };
  }
}

/** Admits the people who send and read by hand to all queues below a construct. */
export function admitOperators(scope: IConstruct, operators: readonly string[]): void {
  for (const construct of scope.node.findAll()) {
    if (!(construct instanceof GuardedQueue)) continue;
    construct.admit(...operators);
    construct.admitReaders(...operators);
  }
}

/** Common to all queues: encryption, longest retention. */
export function buildQueueProps(queueName: string, key?: IKey): QueueProps {
  return {
    queueName,
    retentionPeriod: RETENTION,
    // SQS's own encryption needs no permissions of senders or receivers.
    ...(key === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: key }),
  };
}

export interface DeadLetterQueueProps {
  readonly key?: IKey | undefined;
  /** For a FIFO queue. */
  readonly fifo?: boolean;
  /** It takes requests of a schedule, not events or messages. */
  readonly requests?: boolean;
  /** As of the queue whose dead letters it takes. */
  readonly consumed?: boolean;
  /** Whether there is a queue of the name, whose messages it takes. Otherwise it takes those of no queue. */
  readonly ofQueue: boolean;
  readonly alarmTopic: ITopic;
}

/** A failed request is only kept for investigation, since a later one does its work. */
const REQUEST_RETENTION = Duration.days(1);
/** Failed requests within that day that raise the alarm: the next run makes up for a single one. */
const FAILED_REQUESTS = 3;

/**
 * A queue for what could not be delivered or processed, with its alarm. `name`: of the queue or the function that it
 * belongs to, without that of the stack.
 */
export function createDeadLetterQueue(
  scope: Construct,
  name: string,
  { key, fifo = false, requests = false, consumed = false, ofQueue, alarmTopic }: DeadLetterQueueProps,
): GuardedQueue {
  const suffix = fifo ? '.fifo' : '';
  const fullName = `${partsPrefixOf(scope)}-${name}`;
  // Written out: the queue itself refers to its dead letters, and a reference back would go in a circle.
  const sourceArn = Stack.of(scope).formatArn({ service: 'sqs', resource: `${fullName}${suffix}` });
  const queue = new GuardedQueue(scope, 'DeadLetters', {
    ...buildQueueProps(`${fullName}-dead-letters${suffix}`, key),
    ...(fifo ? { fifo } : {}),
    consumed,
    ...(requests ? { retentionPeriod: REQUEST_RETENTION } : {}),
    redriveAllowPolicy: ofQueue
      ? {
          redrivePermission: RedrivePermission.BY_QUEUE,
          sourceQueues: [Queue.fromQueueArn(scope, 'DeadLettersOf', sourceArn)],
        }
      : { redrivePermission: RedrivePermission.DENY_ALL },
  });
  acknowledge(queue, 'SQSRedrivePolicy', 'it is a dead-letter queue itself');
  // One for each queue: what lies in one for a week would hide what comes into another.
  new NotifierAlarm(scope, 'DeadLettersAlarm', {
    alarm: 'dead-letters',
    about: name,
    metric: queue.metricApproximateNumberOfMessagesVisible({
      period: Duration.minutes(5),
      statistic: Stats.MAXIMUM,
    }),
    when: { atLeast: requests ? FAILED_REQUESTS : 1 },
    alarmTopic,
  });
  return queue;
}

/** Allows a function to send to these queues, and nothing else. */
export function allowSending(role: IRole, queues: readonly IQueue[]): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({
      sid: 'SendMessages',
      actions: ['sqs:SendMessage'],
      resources: queues.map(({ queueArn }) => queueArn),
    }),
  );
  // A queue that was there before the stack has a policy of its own.
  for (const queue of queues) if (queue instanceof GuardedQueue) queue.admit(role.roleArn);
}

/** Allows Lambda to pass the messages of a queue to a function, under the role of the function. */
export function allowReceiving(role: IRole, queue: GuardedQueue): void {
  queue.admitReaders(role.roleArn);
  role.addToPrincipalPolicy(
    new PolicyStatement({
      sid: 'ReceiveMessages',
      actions: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      resources: [queue.queueArn],
    }),
  );
}
