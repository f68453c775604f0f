import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import {
  type CfnDeliveryStream,
  Compression,
  DeliveryStream,
  S3Bucket,
} from 'aws-cdk-lib/aws-kinesisfirehose';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { FirehoseSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';

const TOPICS = ['timesheets', 'pay-periods', 'operations', 'directory'];

/** A line feed behind each event, so that a file has one in each line. */
const LINES = {
  Enabled: true,
  Processors: [
    {
      Type: 'AppendDelimiterToRecord',
      Parameters: [{ ParameterName: 'Delimiter', ParameterValue: '\\n' }],
    },
  ],
};

/** A stack in your own repository: every event in S3, by day, for a year. */
export class EventsInS3 extends Stack {
  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);
    const bucket = new Bucket(this, 'Events', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // They hold hours and ids of people: no longer than you need them.
      lifecycleRules: [{ expiration: Duration.days(365) }],
    });
    const stream = new DeliveryStream(this, 'Stream', {
      destination: new S3Bucket(bucket as IBucket, {
        dataOutputPrefix: 'events/!{timestamp:yyyy-MM-dd}/',
        errorOutputPrefix: 'failed/!{firehose:error-output-type}/',
        bufferingInterval: Duration.minutes(5),
        compression: Compression.GZIP,
      }),
    });
    // The construct would give this processor a role, which only those that call a function have.
    const { defaultChild } = stream.node;
    (defaultChild as CfnDeliveryStream).addPropertyOverride(
      'ExtendedS3DestinationConfiguration.ProcessingConfiguration',
      LINES,
    );
    for (const name of TOPICS) {
      const topicArn = StringParameter.valueForStringParameter(
        this,
        `/workforce-notifier/topics/${name}/arn`,
      );
      Topic.fromTopicArn(this, `Topic-${name}`, topicArn).addSubscription(
        new FirehoseSubscription(stream, { rawMessageDelivery: true }),
      );
    }
  }
}
