import { Duration, Lazy, Stack } from 'aws-cdk-lib';
import {
  AccountPrincipal,
  AnyPrincipal,
  Effect,
  type IRole,
  PolicyStatement,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { buildTopicName } from '#infra/settings.ts';
import { ENVIRONMENT, EVENT_TOPIC_NAMES, type EventTopicName, type TopicName } from '#shared/config/names.ts';
import type { Encryption } from './encryption.ts';
import { NotifierAlarm } from './notifier-alarm.ts';

export interface TopicsProps {
  readonly encryption: Encryption;
  /** Other accounts that may subscribe to the topics of events. */
  readonly subscriberAccounts: readonly string[];
}

/** Four topics that carry events to systems, and `alerts` for people. */
export class Topics extends Construct {
  readonly events: Readonly<Record<EventTopicName, Topic>>;
  readonly alerts: Topic;
  private readonly publishers: Readonly<Record<EventTopicName, string[]>>;
  private readonly encryption: Encryption;

  constructor(scope: Construct, id: string, { encryption, subscriberAccounts }: TopicsProps) {
    super(scope, id);
    this.encryption = encryption;
    const eventTopic = (name: EventTopicName) => this.createTopic(name, encryption.eventTopicKey);
    this.events = {
      timesheets: eventTopic('timesheets'),
      clockings: eventTopic('clockings'),
      'pay-periods': eventTopic('pay-periods'),
      operations: eventTopic('operations'),
    };
    this.publishers = { timesheets: [], clockings: [], 'pay-periods': [], operations: [] };
    for (const name of EVENT_TOPIC_NAMES) {
      this.denyOtherPublishers(name);
      this.allowSubscribers(name, subscriberAccounts);
    }
    this.alerts = this.createTopic('alerts', encryption.alertTopicKey);
    this.allowAlarms();
    if (encryption.alertTopicKey === undefined) {
      acknowledge(
        this.alerts,
        'SNSEncryptedKMS',
        'CloudWatch cannot use the key aws/sns; encryption: customer-managed has a key that it can use',
      );
    }
  }

  /** All topics with their names. */
  get all(): readonly (readonly [TopicName, Topic])[] {
    return [...EVENT_TOPIC_NAMES.map((name) => [name, this.events[name]] as const), ['alerts', this.alerts]];
  }

  /** Environment of a function that publishes to the topics of events. */
  get environment(): Readonly<Record<string, string>> {
    const arns = EVENT_TOPIC_NAMES.map((name) => [ENVIRONMENT.topicArns[name], this.events[name].topicArn]);
    return Object.fromEntries(arns);
  }

  /** Allows a function to publish to these topics. */
  allowPublish(role: IRole, names: readonly EventTopicName[]): void {
    for (const name of names) this.publishers[name].push(role.roleArn);
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'PublishEvents',
        actions: ['sns:Publish'],
        resources: names.map((name) => this.events[name].topicArn),
      }),
    );
    this.encryption.allowPublish(role);
  }

  /** Allows a function to publish messages to people. */
  allowPublishAlerts(role: IRole): void {
    role.addToPrincipalPolicy(
      new PolicyStatement({ sid: 'TellPeople', actions: ['sns:Publish'], resources: [this.alerts.topicArn] }),
    );
    this.encryption.allowPublishAlerts(role);
  }

  /** Alarms when a topic of events cannot deliver to a subscriber. */
  addAlarms(alarmTopic: ITopic): void {
    for (const name of EVENT_TOPIC_NAMES) {
      new NotifierAlarm(this, `${name}DeliveryFailed`, {
        alarm: 'delivery-failed',
        about: name,
        metric: this.events[name].metricNumberOfNotificationsFailed({ period: Duration.minutes(5) }),
        when: { atLeast: 1 },
        alarmTopic,
      });
    }
  }

  private createTopic(name: TopicName, masterKey: IKey | undefined): Topic {
    return new Topic(this, name, {
      topicName: buildTopicName(Stack.of(this).stackName, name),
      enforceSSL: true,
      ...(masterKey === undefined ? {} : { masterKey }),
    });
  }

  /** Only functions of the stack may publish, whatever other policies of the account allow. */
  private denyOtherPublishers(name: EventTopicName): void {
    const topic = this.events[name];
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'OnlyOurFunctionsPublish',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: {
          ArnNotEquals: { 'aws:PrincipalArn': Lazy.list({ produce: () => this.publishers[name] }) },
        },
      }),
    );
  }

  private allowSubscribers(name: EventTopicName, accounts: readonly string[]): void {
    if (accounts.length === 0) return;
    const topic = this.events[name];
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'OtherAccountsSubscribe',
        principals: accounts.map((account) => new AccountPrincipal(account)),
        actions: ['sns:GetTopicAttributes', 'sns:Subscribe'],
        resources: [topic.topicArn],
      }),
    );
  }

  private allowAlarms(): void {
    const { partition, region, account } = Stack.of(this);
    this.alerts.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsPublish',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.alerts.topicArn],
        // As in the documentation of SNS, which shows no other key for alarms.
        conditions: {
          ArnLike: { 'aws:SourceArn': `arn:${partition}:cloudwatch:${region}:${account}:alarm:*` },
        },
      }),
    );
  }
}
