import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { synthesize } from '#test/infra/synthesized.ts';
import { EventsInS3 } from '../../examples/events-in-s3/events-in-s3.ts';

/** The example of a stack that keeps events in S3. */

const template = Template.fromStack(new EventsInS3(new App(), 'Archive')).toJSON();

test('the stream subscribes to every topic of events, whose ARNs the notifier publishes under these names', () => {
  const published = synthesize()
    .ofType('AWS::SSM::Parameter')
    .map(({ properties }) => properties.Name);
  const read = Object.values(template.Parameters as Record<string, { Default?: string }>)
    .map((parameter) => parameter.Default ?? '')
    .filter((name) => name.includes('/topics/'));
  expect(read.sort()).toEqual(
    EVENT_TOPIC_NAMES.map((name) => `/workforce-notifier/topics/${name}/arn`).sort(),
  );
  expect(published).toEqual(expect.arrayContaining(read));
});

test("an event is a line of a file of its day, in a bucket that is nobody else's, where SNS alone may put records", async () => {
  await expect(`${JSON.stringify(template.Resources, null, 2)}\n`).toMatchFileSnapshot(
    'golden/events-in-s3.json',
  );
});
