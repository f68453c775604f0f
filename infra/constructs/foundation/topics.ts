import { Stack } from 'aws-cdk-lib';
import {
  AccountPrincipal,
  type Grant,
  type IGrantable,
  type IRole,
  PolicyStatement,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Topic, type TopicProps } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { buildTopicName, partsPrefixOf } from '#infra/settings.ts';
import { ENVIRONMENT, EVENT_TOPIC_NAMES, type EventTopicName, type TopicName } from '#shared/config/names.ts';
import { type Admitted, admitDeployer, admitNobody, denyOthers } from './deny-others.ts';
import type { Encryption } from './encryption.ts';

export interface TopicsProps {
  readonly encryption: Encryption;
  /** ARNs of roles and users of people. */
  readonly operators: readonly string[];
}

/** A topic to which only deployments, operators and who is granted it subscribe, whatever other policies allow. */
class GuardedTopic extends Topic {
  private readonly subscribers: Admitted;

  /**
   * SNS takes no `sns:Unsubscribe` in the policy of a topic, and refuses the whole policy with it: a subscription that is
   * gone is found by the check of deliveries.
   */
  constructor(scope: Construct, id: string, props: TopicProps & Pick<TopicsProps, 'operators'>) {
    const { operators, ...own } = props;
    super(scope, id, own);
    this.subscribers = admitDeployer(this);
    this.subscribers.principals.push(...operators);
    this.addToResourcePolicy(
      denyOthers({
        sid: 'OnlyOurSubscribers',
        actions: ['sns:Subscribe'],
        resourceArn: this.topicArn,
        admitted: this.subscribers,
        exceptDeployments: true,
      }),
    );
  }

  /** Also does not deny it. An account stands for all of its roles and users. */
  override grantSubscribe(grantee: IGrantable): Grant {
    const { grantPrincipal: principal } = grantee;
    const arns =
      principal instanceof AccountPrincipal
        ? [`arn:${Stack.of(this).partition}:iam::${principal.accountId}:*`]
        : principal.policyFragment.principalJson.AWS;
    this.subscribers.principals.push(...(arns ?? []));
    return super.grantSubscribe(grantee);
  }
}

/** Topics that carry events to systems, and `alerts` for people. */
export class Topics extends Construct {
  readonly events: Readonly<Record<EventTopicName, Topic>>;
  readonly alerts: Topic;
  private readonly publishers: Readonly<Record<TopicName, Admitted>>;
  private readonly encryption: Encryption;

  constructor(scope: Construct, id: string, { encryption, operators }: TopicsProps) {
    super(scope, id);
    this.encryption = encryption;
    const eventTopic = (name: EventTopicName) => this.createTopic(name, operators, encryption.eventTopicKey);
    this.events = {
      timesheets: eventTopic('timesheets'),
      'pay-periods': eventTopic('pay-periods'),
      directory: eventTopic('directory'),
      operations: eventTopic('operations'),
    };
    this.alerts = this.createTopic('alerts', operators, encryption.alertTopicKey);
    this.publishers = {
      timesheets: admitNobody(),
      'pay-periods': admitNobody(),
      directory: admitNobody(),
      operations: admitNobody(),
      alerts: admitNobody(),
    };
    for (const [name, topic] of this.all) this.denyOtherPublishers(name, topic);
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
    for (const name of names) this.publishers[name].principals.push(role.roleArn);
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'PublishEvents',
        actions: ['sns:Publish'],
        resources: names.map((name) => this.events[name].topicArn),
      }),
    );
    this.encryption.allowPublish(role);
  }

  /** Allows a function to see who is subscribed to the topics of events. */
  allowSeeingSubscribers(role: IRole): void {
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'SeeSubscribers',
        actions: ['sns:ListSubscriptionsByTopic'],
        resources: EVENT_TOPIC_NAMES.map((name) => this.events[name].topicArn),
      }),
    );
  }

  /** Allows a function to publish messages to people. */
  allowPublishAlerts(role: IRole): void {
    this.publishers.alerts.principals.push(role.roleArn);
    role.addToPrincipalPolicy(
      new PolicyStatement({ sid: 'TellPeople', actions: ['sns:Publish'], resources: [this.alerts.topicArn] }),
    );
    this.encryption.allowPublishAlerts(role);
  }

  private createTopic(name: TopicName, operators: readonly string[], masterKey: IKey | undefined): Topic {
    return new GuardedTopic(this, name, {
      operators,
      topicName: buildTopicName(partsPrefixOf(this), name),
      enforceSSL: true,
      // Of what SNS signs to HTTP subscribers: SHA-256 in place of SHA-1.
      signatureVersion: '2',
      ...(masterKey === undefined ? {} : { masterKey }),
    });
  }

  /** Only functions of the stack may publish, and alarms to `alerts`, whatever other policies of the account allow. */
  private denyOtherPublishers(name: TopicName, topic: Topic): void {
    topic.addToResourcePolicy(
      denyOthers({
        sid: 'OnlyOurFunctionsPublish',
        actions: ['sns:Publish'],
        resourceArn: topic.topicArn,
        admitted: this.publishers[name],
      }),
    );
  }

  private allowAlarms(): void {
    const { partition, region, account } = Stack.of(this);
    const alarms = `arn:${partition}:cloudwatch:${region}:${account}:alarm:*`;
    this.publishers.alerts.sources.push(alarms);
    this.alerts.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsPublish',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.alerts.topicArn],
        // As in the documentation of SNS, which shows no other key for alarms.
        conditions: { ArnLike: { 'aws:SourceArn': alarms } },
      }),
    );
  }
}
