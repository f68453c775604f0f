import { describe, expect, test } from 'vitest';
import { readCheckRequest } from '#shared/config/requests/check-request.ts';
import { EVERYTHING, type Resource, synthesize, WEBHOOK } from './synthesized.ts';

describe('the check of deliveries', () => {
  test('asks every quarter of an hour for all webhooks, and for every queue that the stack subscribes', () => {
    const { at, ofType } = synthesize({
      ...EVERYTHING,
      queues: [
        { name: 'payroll', topics: ['timesheets'] },
        { name: 'found', topics: ['pay-periods'], queueArn: 'arn:aws:sqs:eu-west-1:111122223333:inbox' },
      ],
      webhooks: [WEBHOOK, { ...WEBHOOK, name: 'away', paused: true, filter: { connection: ['main'] } }],
    });
    const { properties } = at('DeliveryCheck/Schedules/check');
    expect(properties.ScheduleExpression).toBe('rate(15 minutes)');
    const { connections, webhooks, subscriptions } = readCheckRequest(
      JSON.parse(inputOf(at('DeliveryCheck/Schedules/check'))),
    );
    expect(connections).toEqual(['main']);
    const topics = ['timesheets', 'pay-periods'];
    expect(webhooks).toEqual([
      { name: 'system', topics, filter: {}, paused: false },
      { name: 'away', topics, filter: { connection: ['main'] }, paused: true },
    ]);
    const made = ofType('AWS::SNS::Subscription').filter(
      ({ properties: { Protocol } }) => Protocol === 'sqs',
    );
    expect(subscriptions).toEqual(
      made.map(({ properties: { TopicArn, Endpoint } }) => ({ topicArn: TopicArn, endpoint: Endpoint })),
    );
    expect(new Set(subscriptions.map(({ endpoint }) => endpoint))).toEqual(
      new Set([
        '<People/Collect/Queue.Arn>',
        '<Queue-payroll/Queue.Arn>',
        'arn:aws:sqs:eu-west-1:111122223333:inbox',
        '<Webhook-system/Queue.Arn>',
        '<Webhook-away/Queue.Arn>',
      ]),
    );
    // Nobody is missed before they are subscribed.
    expect(at('DeliveryCheck/Schedules/check').dependsOn).toEqual(
      expect.arrayContaining(made.map(({ path }) => path)),
    );
  });

  test('has an alarm on its lines, and none of it is there without a receiver', () => {
    const { at } = synthesize(EVERYTHING);
    expect(at('DeliveryCheck/WithheldAlarm').properties).toMatchObject({
      Threshold: 1,
      EvaluationPeriods: 1,
    });
    expect(at('DeliveryCheck/Withheld').properties.FilterPattern).toBe(
      '{ $.outcome = "deliveries.withheld" }',
    );
    const { resources } = synthesize();
    expect(resources.filter(({ path }) => path.startsWith('DeliveryCheck/'))).toEqual([]);
  });
});

function inputOf({ properties }: Resource): string {
  return (properties.Target as { readonly Input: string }).Input;
}
