import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { buildTopicName, partsPrefixOf } from '#infra/settings.ts';

/** Used by DynamoDB on behalf of a function, and by CloudWatch Logs. */
const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** Used by SQS, and by SNS when it sends or publishes. */
const SENDING_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'];

/** What the documentation of SNS asks for when a service publishes to a topic with a key. */
const PUBLISHING_SERVICE_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/** `aws-managed`: no key of your own, no fee. `customer-managed`: two keys of the stack's own. */
export type EncryptionChoice =
  | 'aws-managed'
  | 'customer-managed'
  | {
      /** Key of the table, the topics of events, the queues and the logs, whose policy you write (docs/in-your-company.md). */
      readonly keyArn: string;
      /** Another one, of the topic `alerts`, so that alarms do not need the first. Default: it has none. */
      readonly alertsKeyArn?: string;
    };

interface KeyUse {
  readonly sid: string;
  readonly key: IKey | undefined;
  readonly actions: string[];
  /** The service that uses the key for the function. */
  readonly service: string;
}

/**
 * Encryption at rest.
 *
 * The default are keys that AWS manages. They cost nothing and suit the topics of events: functions of this account may
 * use them without a permission, and subscribers never need the key of a topic, because SNS decrypts before it
 * delivers. The topic `alerts` has no key: CloudWatch cannot use `aws/sns`, so alarms would be lost silently.
 *
 * A customer-managed key covers the table, the topics of events, the logs, and the queues of events and of messages to
 * people. The topic `alerts` has a key of its own: alarms that follow from a disabled or refused key must not need it.
 * The policy of an existing key is its owner's: it has to allow what those of our own keys say.
 */
export class Encryption extends Construct {
  /** The customer-managed key, if one is asked for or named. */
  readonly customerKey: IKey | undefined;
  /** Key of the topics of events, to which only functions of the stack publish. */
  readonly eventTopicKey: IKey;
  /** Key of the topic `alerts`, if customer-managed keys are asked for or one is named. */
  readonly alertTopicKey: IKey | undefined;

  constructor(scope: Construct, id: string, encryption: EncryptionChoice) {
    super(scope, id);
    if (typeof encryption === 'object') {
      const { keyArn, alertsKeyArn } = encryption;
      this.customerKey = Key.fromKeyArn(this, 'Key', keyArn);
      if (alertsKeyArn !== undefined)
        this.alertTopicKey = Key.fromKeyArn(this, 'AlertTopicKey', alertsKeyArn);
    } else if (encryption === 'customer-managed') {
      this.customerKey = this.createKey();
      this.alertTopicKey = this.createAlertTopicKey();
    }
    this.eventTopicKey = this.customerKey ?? Alias.fromAliasName(this, 'TopicKey', 'alias/aws/sns');
  }

  /** Allows a function to use the table with the customer-managed key. */
  allowUse(role: IRole): void {
    this.allow(role, { sid: 'UseKey', key: this.customerKey, actions: KEY_ACTIONS, service: 'dynamodb' });
  }

  /** Allows a function to publish to topics of events with the customer-managed key. */
  allowPublish(role: IRole): void {
    this.allow(role, {
      sid: 'UseKeyOfTopics',
      key: this.customerKey,
      actions: SENDING_ACTIONS,
      service: 'sns',
    });
  }

  /** Allows a function to publish to the topic `alerts` with its own key. */
  allowPublishAlerts(role: IRole): void {
    const { alertTopicKey: key } = this;
    this.allow(role, { sid: 'UseKeyOfAlerts', key, actions: SENDING_ACTIONS, service: 'sns' });
  }

  /** Allows a function to send to queues encrypted with the customer-managed key. */
  allowSending(role: IRole): void {
    this.allow(role, {
      sid: 'UseKeyOfQueues',
      key: this.customerKey,
      actions: SENDING_ACTIONS,
      service: 'sqs',
    });
  }

  /** Allows a function to receive from its queue encrypted with the customer-managed key. */
  allowReceiving(role: IRole): void {
    this.allow(role, {
      sid: 'UseKeyOfOwnQueue',
      key: this.customerKey,
      actions: ['kms:Decrypt'],
      service: 'sqs',
    });
  }

  private allow(role: IRole, { sid, key, actions, service }: KeyUse): void {
    if (key === undefined) return;
    const { region, urlSuffix } = Stack.of(this);
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid,
        actions,
        resources: [key.keyArn],
        conditions: { StringEquals: { 'kms:ViaService': [`${service}.${region}.${urlSuffix}`] } },
      }),
    );
  }

  private createKey(): Key {
    const { stackName, partition, region, account, urlSuffix } = Stack.of(this);
    const prefix = partsPrefixOf(this);
    const key = new Key(this, 'Key', {
      alias: prefix,
      description: `Table, topics and queues of ${stackName}`,
      enableKeyRotation: true,
      // The table that it encrypts outlives the stack.
      removalPolicy: RemovalPolicy.RETAIN,
    });
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'TopicsReachQueues',
        principals: [new ServicePrincipal('sns.amazonaws.com')],
        actions: SENDING_ACTIONS,
        resources: ['*'],
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'LogsAreEncrypted',
        principals: [new ServicePrincipal(`logs.${region}.${urlSuffix}`)],
        actions: KEY_ACTIONS,
        resources: ['*'],
        conditions: {
          ArnLike: {
            'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:${stackName}-*`,
          },
        },
      }),
    );
    return key;
  }

  private createAlertTopicKey(): Key {
    const { stackName, partition, region, account } = Stack.of(this);
    const key = new Key(this, 'AlertTopicKey', {
      description: `Topic for people of ${stackName}`,
      enableKeyRotation: true,
      // A topic keeps no messages.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsReachTopic',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: PUBLISHING_SERVICE_ACTIONS,
        resources: ['*'],
        // Not on the account or the alarm: nothing says that CloudWatch sends these keys to KMS. SNS always names its
        // topic. The ARN is written out, as a reference would go in a circle.
        conditions: {
          StringEquals: {
            'kms:EncryptionContext:aws:sns:topicArn': `arn:${partition}:sns:${region}:${account}:${buildTopicName(partsPrefixOf(this), 'alerts')}`,
          },
        },
      }),
    );
    return key;
  }
}
