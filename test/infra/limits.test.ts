import { expect, test } from 'vitest';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
import { CONNECTION, EVERYTHING, synthesize, WEBHOOK } from './synthesized.ts';

// CloudFormation allows 500 resources in a stack.
test('20 webhooks to all topics, several sources and channels fit into one stack', () => {
  const { resources, ofType } = synthesize({
    ...EVERYTHING,
    connections: named(2, CONNECTION),
    alerts: { channels: named(2, { kind: 'slack', secretName: 'notifier/slack' } as const) },
    webhooks: named(20, { ...WEBHOOK, topics: [...EVENT_TOPIC_NAMES] }),
  });
  expect(ofType('AWS::Lambda::EventSourceMapping')).toHaveLength(1 + 2 + 20);
  expect(resources.length).toBeLessThan(500);
});

test('names that differ by a hyphen alone are no conflict', () => {
  const { ofType } = synthesize({ webhooks: ['a1', 'a-1'].map((name) => ({ ...WEBHOOK, name })) });
  const parameters = ofType('AWS::SSM::Parameter').map(({ properties }) => properties.Name);
  for (const name of ['a1', 'a-1']) {
    expect(parameters).toContain(`/workforce-notifier/queues/webhook-${name}/url`);
  }
});

test('a name longer than AWS allows is an error before the deployment', () => {
  const config: Partial<NotifierConfigInput> = {
    stackName: 'the-workforce-notifier-of-acme',
    webhooks: [{ ...WEBHOOK, name: 'the-payroll-of-the-south-island' }],
  };
  expect(() => synthesize(config)).toThrow(
    'stackName: the function the-workforce-notifier-of-acme-webhook-the-payroll-of-the-south-island has a name of 70 characters, the limit is 62; use a shorter stackName, or a shorter name of the channel or webhook',
  );
});

test('a filter longer than AWS allows is an error before the deployment', () => {
  const departmentId = Array.from({ length: 2_000 }, (_, at) => String(70_000 + ((at * 7_919) % 20_011)));
  const order = 'record' as const;
  const webhooks = [{ ...WEBHOOK, order, topics: [...EVENT_TOPIC_NAMES], filter: { departmentId } }];
  expect(() => synthesize({ webhooks })).toThrow(
    /^webhooks: "system" takes \d+ bytes of 3000 when compressed; name fewer values in its filter/,
  );
});

test('no subscription can have the name of another queue of the stack', () => {
  const config = { ...EVERYTHING, subscriptions: [], webhooks: [] };
  const names = synthesize(config)
    .ofType('AWS::SQS::Queue')
    .map(({ properties }) => String(properties.QueueName).replace('workforce-notifier-', ''));
  const own = names.filter((name) => !name.endsWith('.fifo'));
  expect(own.length).toBeGreaterThanOrEqual(6);
  for (const name of own) {
    const subscriptions = [{ name, topics: ['timesheets' as const] }];
    expect(() => synthesize({ subscriptions })).toThrow(
      `a queue would be called workforce-notifier-${name}, as a built-in one is`,
    );
  }
});

/** Copies of an entry with different names. */
function named<Entry extends object>(count: number, entry: Entry): (Entry & { name: string })[] {
  return Array.from({ length: count }, (_, at) => ({ ...entry, name: `number-${at}` }));
}
