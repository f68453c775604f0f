import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** What DynamoDB and SNS do with a key on behalf of a function, and CloudWatch with the one of its logs. */
const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** What SQS, and SNS for it, does with a key. */
const SENDING_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'];

interface KeyUse {
  readonly sid: string;
  readonly actions: string[];
  readonly services: readonly string[];
}

/**
 * With which keys things are encrypted at rest.
 *
 * By default with those that AWS manages. They cost nothing and are right for the topics of events: our functions, of
 * this account, may use them without a permission of their own, and a subscriber in whichever stack or account never
 * needs the key of a topic, because SNS decrypts before it delivers. The topic `alerts` is the exception: CloudWatch
 * cannot use the key `aws/sns`, so alarms would be lost in silence; it is left without, and carries nothing personal.
 *
 * A customer-managed key covers table, all topics, the logs, and the queues of events and of messages to people.
 */
export class Encryption extends Construct {
  /** The key of our own, when the config wants one. */
  readonly ownKey: Key | undefined;
  /** Key of topics that only our functions publish to. */
  readonly eventTopicKey: IKey;

  constructor(scope: Construct, id: string, encryption: NotifierConfig['encryption']) {
    super(scope, id);
    this.ownKey = encryption === 'customer-managed' ? this.createKey() : undefined;
    this.eventTopicKey = this.ownKey ?? Alias.fromAliasName(this, 'TopicKey', 'alias/aws/sns');
  }

  /** Lets a function use table and topics that are encrypted with our own key. */
  allowUse(role: IRole): void {
    this.allow(role, { sid: 'UseKey', actions: KEY_ACTIONS, services: ['dynamodb', 'sns'] });
  }

  /** Lets a function send to queues that are encrypted with our own key. */
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
      // What is encrypted with it outlives the stack.
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
