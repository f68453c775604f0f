import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { buildStack, EVERYTHING, synthesize } from './synthesized.ts';

describe('who is notified', () => {
  test('everybody subscribed to the alerts, when an alarm sounds and when it is over', () => {
    const built = synthesize({ ...EVERYTHING, alarms: { email: 'operations@acme.example' } });
    for (const { properties } of built.ofType('AWS::CloudWatch::Alarm')) {
      expect(properties.AlarmActions).toEqual(['<Topics/alerts>']);
      expect(properties.OKActions).toEqual(['<Topics/alerts>']);
    }
    expect(built.ofType('AWS::SNS::Subscription').map(({ properties }) => properties)).toContainEqual({
      TopicArn: '<Topics/alerts>',
      Protocol: 'email',
      Endpoint: 'operations@acme.example',
      FilterPolicy: { AlarmName: [{ exists: true }] },
      FilterPolicyScope: 'MessageBody',
    });
  });

  test('a topic that exists already, when the config names one', () => {
    const topicArn = 'arn:aws:sns:eu-west-1:111122223333:on-call';
    const { ofType } = synthesize({ alarms: { topicArn } });
    const actions = ofType('AWS::CloudWatch::Alarm').flatMap(({ properties }) => properties.AlarmActions);
    expect(new Set(actions)).toEqual(new Set([topicArn]));
  });
});

describe('a config that notifies nobody', () => {
  const findWarnings = (config: Parameters<typeof buildStack>[0]) =>
    Annotations.fromStack(buildStack(config)).findWarning('*', Match.stringLikeRegexp('nobody is notified'));

  test('is warned about at synth and deploy', () => {
    expect(findWarnings({})).toHaveLength(1);
  });

  test.each([{ email: 'operations@acme.com' }, { topicArn: 'arn:aws:sns:eu-west-1:111122223333:on-call' }])(
    'is not one with %j',
    (alarms) => {
      expect(findWarnings({ alarms })).toEqual([]);
    },
  );
});
