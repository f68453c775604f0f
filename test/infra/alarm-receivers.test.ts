import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
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

describe('with a place for warnings', () => {
  const onCall = 'arn:aws:sns:eu-west-1:111122223333:on-call';
  const office = 'arn:aws:sns:eu-west-1:111122223333:office';
  const receiversOf = (alarms: NotifierConfigInput['alarms']) => {
    const { ofType } = synthesize({ alarms });
    const sent = ofType('AWS::CloudWatch::Alarm').map(({ properties }) => {
      expect(properties.OKActions).toEqual(properties.AlarmActions);
      return `${String(properties.AlarmDescription).split(':')[0]} -> ${(properties.AlarmActions as string[]).join()}`;
    });
    const mailboxes = ofType('AWS::SNS::Subscription').flatMap(({ properties }) =>
      properties.Protocol === 'email' ? [[properties.Endpoint, properties.FilterPolicy]] : [],
    );
    return { sent: [...new Set(sent)].sort(), mailboxes };
  };

  test('each topic gets the alarms of its severity', () => {
    const { sent } = receiversOf({ topicArn: onCall, warnings: { topicArn: office } });
    expect(sent).toEqual([`Critical -> ${onCall}`, `Warning -> ${office}`]);
  });

  test('each address gets the alarms of its severity, by the first word of their description', () => {
    const { sent, mailboxes } = receiversOf({
      email: 'on-call@acme.example',
      warnings: { email: 'office@acme.example' },
    });
    expect(sent).toEqual(['Critical -> <Topics/alerts>', 'Warning -> <Topics/alerts>']);
    expect(mailboxes).toEqual([
      ['on-call@acme.example', { AlarmDescription: [{ prefix: 'Critical:' }] }],
      ['office@acme.example', { AlarmDescription: [{ prefix: 'Warning:' }] }],
    ]);
  });

  test('an address beside a topic gets what the topic does not', () => {
    const { sent, mailboxes } = receiversOf({
      topicArn: onCall,
      warnings: { email: 'office@acme.example' },
    });
    expect(sent).toEqual([`Critical -> ${onCall}`, 'Warning -> <Topics/alerts>']);
    expect(mailboxes).toEqual([['office@acme.example', { AlarmDescription: [{ prefix: 'Warning:' }] }]]);
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
