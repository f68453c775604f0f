import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { synthesize } from '#test/infra/synthesized.ts';
import { EventsInS3 } from '../../examples/events-in-s3/events-in-s3.ts';

/** The example of a stack that keeps events in S3. */

const template = Template.fromStack(new EventsInS3(new App(), 'Archive'));

test('the stream subscribes to every topic of events, whose ARNs the notifier publishes under these names', () => {
  const published = synthesize()
    .ofType('AWS::SSM::Parameter')
    .map(({ properties }) => properties.Name);
  const read = Object.values(template.toJSON().Parameters as Record<string, { Default?: string }>)
    .map((parameter) => parameter.Default ?? '')
    .filter((name) => name.includes('/topics/'));
  expect(read.sort()).toEqual(
    EVENT_TOPIC_NAMES.map((name) => `/workforce-notifier/topics/${name}/arn`).sort(),
  );
  expect(published).toEqual(expect.arrayContaining(read));
  template.resourceCountIs('AWS::SNS::Subscription', EVENT_TOPIC_NAMES.length);
  template.allResourcesProperties('AWS::SNS::Subscription', {
    Protocol: 'firehose',
    RawMessageDelivery: true,
    Endpoint: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Stream'), 'Arn'] },
    SubscriptionRoleArn: Match.anyValue(),
  });
});

test('SNS may put records, and nobody else by that role', () => {
  template.hasResourceProperties('AWS::IAM::Role', {
    AssumeRolePolicyDocument: {
      Statement: [Match.objectLike({ Principal: { Service: 'sns.amazonaws.com' } })],
    },
  });
  template.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: [
        Match.objectLike({ Action: Match.arrayWith(['firehose:PutRecord', 'firehose:PutRecordBatch']) }),
      ],
    },
  });
});

test("an event is a line of a file of its day, in a bucket that is nobody else's", () => {
  template.hasResourceProperties('AWS::KinesisFirehose::DeliveryStream', {
    ExtendedS3DestinationConfiguration: {
      Prefix: 'events/!{timestamp:yyyy-MM-dd}/',
      CompressionFormat: 'GZIP',
      ProcessingConfiguration: {
        Enabled: true,
        Processors: [
          {
            Type: 'AppendDelimiterToRecord',
            Parameters: [{ ParameterName: 'Delimiter', ParameterValue: '\\n' }],
          },
        ],
      },
    },
  });
  template.hasResourceProperties('AWS::S3::Bucket', {
    PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    LifecycleConfiguration: { Rules: [Match.objectLike({ ExpirationInDays: 365 })] },
  });
});
