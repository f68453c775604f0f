import { describe, expect, test } from 'vitest';
import { readCheckRequest } from '#shared/config/requests/check-request.ts';
import { readStartRequest } from '#shared/config/requests/replay-request.ts';
import { EVERYTHING, type Resource, synthesize, WEBHOOK } from './synthesized.ts';

const SCHEDULE = 'Replay/Schedules/start';
const WITHOUT_START = {
  ...EVERYTHING,
  subscriptions: [{ name: 'payroll', topics: ['timesheets' as const] }],
};

describe('a receiver that starts with a snapshot', () => {
  test('is in the request of a schedule, with what it subscribes to', () => {
    const { at } = synthesize({
      ...EVERYTHING,
      subscriptions: [
        { name: 'payroll', topics: ['timesheets'], startWith: 'snapshot' },
        { name: 'other', topics: ['timesheets'] },
      ],
      webhooks: [{ ...WEBHOOK, startWith: { snapshot: 3 } }],
    });
    const request = readStartRequest(
      JSON.parse(inputOf(at(SCHEDULE)).replaceAll(/<[^>]*>/g, 'https://queue')),
    );
    expect(request.connections).toEqual(['main']);
    expect(request.receivers.map(({ name, generation }) => [name, generation])).toEqual([
      ['subscription-payroll', 1],
      ['webhook-system', 3],
    ]);
    expect(request.receivers[0]?.interest).toEqual({ topics: ['timesheets'], filter: {} });
  });

  test('is subscribed before the schedule knows it', () => {
    const { at, ofType } = synthesize(EVERYTHING);
    const own = ofType('AWS::SNS::Subscription')
      .map(({ path }) => path)
      .filter((path) => path.startsWith('Subscription-payroll/'));
    expect(own.length).toBeGreaterThan(0);
    expect(at(SCHEDULE).dependsOn).toEqual(expect.arrayContaining(own));
  });

  test('is what a schedule of it is made for, and only then', () => {
    const { resources } = synthesize(WITHOUT_START);
    expect(resources.filter(({ path }) => path === SCHEDULE)).toEqual([]);
  });
});

describe('the check of deliveries', () => {
  test('asks every quarter of an hour for all webhooks, and for every queue that the stack subscribes', () => {
    const { at, ofType } = synthesize({
      ...EVERYTHING,
      subscriptions: [
        { name: 'payroll', topics: ['timesheets'] },
        { name: 'found', topics: ['clockings'], queueArn: 'arn:aws:sqs:eu-west-1:111122223333:inbox' },
      ],
      webhooks: [WEBHOOK, { ...WEBHOOK, name: 'away', paused: true, filter: { connection: ['main'] } }],
    });
    const { properties } = at('Replay/Schedules/check');
    expect(properties.ScheduleExpression).toBe('rate(15 minutes)');
    const { connections, webhooks, subscriptions } = readCheckRequest(
      JSON.parse(inputOf(at('Replay/Schedules/check'))),
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
        '<Subscription-payroll/Queue.Arn>',
        'arn:aws:sqs:eu-west-1:111122223333:inbox',
        '<Webhook-system/Queue.Arn>',
        '<Webhook-away/Queue.Arn>',
      ]),
    );
    // Nobody is missed before they are subscribed.
    expect(at('Replay/Schedules/check').dependsOn).toEqual(
      expect.arrayContaining(made.map(({ path }) => path)),
    );
  });

  test('has an alarm on its lines, and none of it is there without a receiver', () => {
    const { at } = synthesize(EVERYTHING);
    expect(at('Replay/WithheldAlarm').properties).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
    expect(at('Replay/Withheld').properties.FilterPattern).toBe('{ $.outcome = "deliveries.withheld" }');
    const { resources } = synthesize();
    expect(resources.filter(({ path }) => /^Replay\/(?:Schedules|Withheld)/.test(path))).toEqual([]);
    expect(JSON.stringify(resources.find(({ path }) => path === 'Replay/Role'))).not.toMatch(
      /NoteStarts|SeeSubscribers/,
    );
  });
});

function inputOf({ properties }: Resource): string {
  return (properties.Target as { readonly Input: string }).Input;
}
