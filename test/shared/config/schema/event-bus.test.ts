import { describe, expect, test } from 'vitest';
import { planConcurrency } from '#shared/config/concurrency.ts';
import { readBusPlace } from '#shared/config/schema/event-bus.ts';
import { type NotifierConfigInput, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { buildStack } from '#test/infra/synthesized.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};
const ARN = 'arn:aws:events:ap-southeast-2:123456789012:event-bus/teams/workforce';
const parse = (config: Partial<NotifierConfigInput>) =>
  parseNotifierConfig({ connections: [CONNECTION], ...config });

describe('an event bus', () => {
  test.each(['workforce', 'default', 'teams/work.force_1-a', ARN])('is %s', (eventBus) => {
    expect(parse({ eventBus }).eventBus).toBe(eventBus);
  });

  test.each([
    ['', 'eventBus is the name or the ARN of an event bus'],
    ['my bus', 'eventBus is the name or the ARN of an event bus'],
    ['arn:aws:sqs:ap-southeast-2:123456789012:queue', 'eventBus is the name or the ARN of an event bus'],
    [`${ARN}/${'x'.repeat(256)}`, 'eventBus is the name or the ARN of an event bus'],
    ['aws.partner/saas.example/1', 'takes events of AWS and its partners alone'],
    [ARN.replace('teams/', 'aws.partner/'), 'takes events of AWS and its partners alone'],
  ])('is not %j', (eventBus, message) => {
    expect(() => parse({ eventBus })).toThrow(message);
  });

  test('has a place when it is given by its ARN', () => {
    expect(readBusPlace(ARN)).toEqual({ account: '123456789012', name: 'teams/workforce' });
    expect(readBusPlace('workforce')).toBeNull();
  });

  test('takes its share of the executions at once', () => {
    expect(planConcurrency(parse({}))).toEqual({ perQueue: 5, total: 4 });
    expect(planConcurrency(parse({ eventBus: 'workforce' }))).toEqual({ perQueue: 5, total: 4 + 5 });
  });

  test.each(['event-bus', 'event-bus-dead-letters'])('leaves no name for a subscription %s', (name) => {
    const subscriptions = [{ name, topics: ['timesheets' as const] }];
    expect(parse({ subscriptions }).subscriptions).toHaveLength(1);
    expect(() => parse({ subscriptions, eventBus: 'workforce' })).toThrow(
      `a queue would be called workforce-notifier-${name}, as the one of the event bus is; use another name`,
    );
  });

  test('is in the account of the stack', () => {
    const build = (account: string) => () => buildStack({ eventBus: ARN }, account);
    expect(build('123456789012')).not.toThrow();
    expect(build('210987654321')).toThrow(
      'eventBus: the bus is in the account 123456789012 and the stack in 210987654321; name a bus of 210987654321',
    );
  });
});
