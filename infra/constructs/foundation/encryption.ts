import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** Used by DynamoDB and SNS on behalf of a function, and by CloudWatch Logs. */
const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** Used by SQS, and by SNS and CloudWatch when they send. */
const SENDING_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'];

interface KeyUse {
  readonly sid: string;
  readonly actions: string[];
  readonly services: readonly string[];
}

/**
 * Encryption at rest.
 *
 * The default are keys that AWS manages. They cost nothing and suit the topics of events: functions of this account may
 * use them without a permission, and subscribers never need the key of a topic, because SNS decrypts before it
 * delivers. The topic `alerts` has no key: CloudWatch cannot use `aws/sns`, so alarms would be lost silently.
 *
 * A customer-managed key covers the table, all topics, the logs, and the queues of events and of messages to people.
 */
export class Encryption extends Construct {
  /** The customer-managed key, if the config asks for one. */
  readonly ownKey: Key | undefined;
  /** Key of the topics of events, to which only functions of the stack publish. */
  readonly eventTopicKey: IKey;

  constructor(scope: Construct, id: string, encryption: NotifierConfig['encryption']) {
    super(scope, id);
    this.ownKey = encryption === 'customer-managed' ? this.createKey() : undefined;
    this.eventTopicKey = this.ownKey ?? Alias.fromAliasName(this, 'TopicKey', 'alias/aws/sns');
  }

  /** Allows a function to use a table and topics encrypted with the customer-managed key. */
  allowUse(role: IRole): void {
    this.allow(role, { sid: 'UseKey', actions: KEY_ACTIONS, services: ['dynamodb', 'sns'] });
  }

  /** Allows a function to send to queues encrypted with the customer-managed key. */
  allowSending(role: IRole): void {
    this.allow(role, { sid: 'UseKeyOfQueues', actions: SENDING_ACTIONS, services: ['sqs'] });
  }

  private allow(role: IRole, { sid, actions, services }: KeyUse): void {
    if (this.ownKey === undefined) return;
    const { region, urlSuffix } = Stack.of(this);
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid,
        actions,
        resources: [this.ownKey.keyArn],
        conditions: {
          StringEquals: { 'kms:ViaService': services.map((name) => `${name}.${region}.${urlSuffix}`) },
        },
      }),
    );
  }

  private createKey(): Key {
    const { stackName, partition, region, account, urlSuffix } = Stack.of(this);
    const key = new Key(this, 'Key', {
      alias: stackName,
      description: `Table, topics and queues of ${stackName}`,
      enableKeyRotation: true,
      // The table that it encrypts outlives the stack.
      removalPolicy: RemovalPolicy.RETAIN,
    });
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsReachTopicsAndTopicsReachQueues',
        principals: ['cloudwatch', 'sns'].map((service) => new ServicePrincipal(`${service}.amazonaws.com`)),
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
            'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:/aws/lambda/${stackName}-*`,
          },
        },
      }),
    );
    return key;
  }
}
