import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import standardConfig from '#config';
import { HUNG_AFTER_MS } from '#functions/parts/watchdog.ts';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
import { CONNECTION, EVERYTHING, LARGE_ACCOUNT, permissionsOf, synthesize, WEBHOOK } from './synthesized.ts';

// CloudFormation allows 500 resources in a stack.
test('20 webhooks to all topics, several sources and channels fit into one stack', () => {
  const { resources, ofType } = synthesize({
    ...EVERYTHING,
    functions: LARGE_ACCOUNT,
    connections: named(2, CONNECTION),
    alerts: { channels: named(2, { kind: 'slack', secretName: 'notifier/slack' } as const) },
    webhooks: named(20, { ...WEBHOOK, topics: [...EVENT_TOPIC_NAMES] }),
  });
  expect(ofType('AWS::Lambda::EventSourceMapping')).toHaveLength(1 + 2 + 20);
  expect(resources.length).toBeLessThan(500);
});

test('a stack has as many resources as docs/in-your-company.md says', () => {
  const sizeOf = (more: Partial<NotifierConfigInput>) =>
    synthesize({ functions: LARGE_ACCOUNT, connections: [CONNECTION], ...more }).resources.length;
  const alone = sizeOf({});
  const channels = named(11, { kind: 'slack', secretName: 'notifier/slack' } as const);
  const webhook = (sizeOf({ webhooks: named(11, WEBHOOK) }) - alone) / 11;
  const channel =
    (sizeOf({ alerts: { channels } }) - sizeOf({ alerts: { channels: channels.slice(0, 1) } })) / 10;
  const queues = named(10, { topics: ['timesheets'] } as const);
  const subscription =
    (sizeOf({ subscriptions: queues.map((each) => ({ ...each, topics: ['timesheets'] })) }) - alone) / 10;
  const connection = (sizeOf({ connections: named(6, CONNECTION) }) - alone) / 5;
  expect(readFileSync('docs/in-your-company.md', 'utf8')).toContain(
    `One connection alone makes ${alone} of them; one more webhook adds ${webhook}, a channel of Slack or Teams ${channel}, a subscription ${subscription}, a connection ${connection}.`,
  );
});

test('a stack that CloudFormation would refuse names what takes most of it', () => {
  const webhooks = named(80, WEBHOOK);
  expect(() => synthesize({ functions: LARGE_ACCOUNT, webhooks })).toThrow(
    /^webhooks: the stack has \d+ resources, \d+ of them for these, and CloudFormation takes 500; move some into a second stack/,
  );
});

describe('executions at once', () => {
  test.each([
    ['of the config of this repository', 10, standardConfig],
    ['of a config with everything', 10, EVERYTHING],
    ['of many endpoints', 1_000, { ...EVERYTHING, webhooks: named(20, WEBHOOK) }],
    [
      'of many endpoints, in an account with little room',
      60,
      { ...EVERYTHING, webhooks: named(20, WEBHOOK) },
    ],
  ])('%s leave polls their share of %d', (_, accountConcurrency, config) => {
    const { ofType } = synthesize({ ...config, functions: { accountConcurrency } });
    const bounds = ofType('AWS::Lambda::EventSourceMapping').map(({ properties }) => {
      const scaling = properties.ScalingConfig as { MaximumConcurrency: number } | undefined;
      return scaling?.MaximumConcurrency ?? 1;
    });
    expect(bounds.length).toBeGreaterThanOrEqual(3);
    const connections = ofType('AWS::Scheduler::Schedule').filter(({ path }) =>
      path.startsWith('PollTimesheets/'),
    );
    // Two polls of timesheets and one of pay periods for each connection, one release, and one that is rare.
    const others = 3 * connections.length + 2;
    expect(bounds.reduce((sum, bound) => sum + bound, others)).toBeLessThanOrEqual(accountConcurrency);
  });

  test.each([
    ['the config of this repository', standardConfig],
    ['a config with everything', EVERYTHING],
  ])('with %s, polls that all hang leave webhooks, alerts and each other theirs of 10', (_, config) => {
    const { ofType } = synthesize({ ...config, functions: { accountConcurrency: 10 } });
    const polls = ofType('AWS::Scheduler::Schedule').filter(({ path }) =>
      /^Poll(?:Timesheets|PayPeriods)\//.test(path),
    );
    const starts = polls.flatMap(({ properties }) => {
      const minutes = Number(/^rate\((\d+) minutes?\)$/.exec(String(properties.ScheduleExpression))?.[1]);
      return Array.from({ length: 30 }, (_each, nth) => nth * minutes * 60_000);
    });
    const atOnce = (now: number) => starts.filter((at) => at <= now && now < at + HUNG_AFTER_MS).length;
    const bounds = ofType('AWS::Lambda::EventSourceMapping').map(({ properties }) => {
      const scaling = properties.ScalingConfig as { MaximumConcurrency: number } | undefined;
      return scaling?.MaximumConcurrency ?? 1;
    });

    expect(polls).toHaveLength(2);
    expect(starts.every(Number.isFinite)).toBe(true);
    // All start in the same instant, and each is over before the next of its feed: one of each feed.
    const polling = Math.max(...starts.map(atOnce));
    expect(polling).toBe(2);
    // And one that releases alerts, and one that is rare.
    expect(bounds.reduce((sum, bound) => sum + bound, polling + 2)).toBeLessThanOrEqual(10);
  });

  test('of a queue are five where there is room', () => {
    const { ofType } = synthesize({ ...EVERYTHING, functions: LARGE_ACCOUNT });
    const bounds = ofType('AWS::Lambda::EventSourceMapping').map(
      ({ properties }) => properties.ScalingConfig,
    );
    expect(bounds.filter((each) => each !== undefined)).toEqual([
      { MaximumConcurrency: 5 },
      { MaximumConcurrency: 5 },
    ]);
  });
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

describe('the policies of roles', () => {
  const connections = (count: number) =>
    named(count, CONNECTION).map((connection) => ({
      ...connection,
      name: `the-southern-office-${connection.name}`,
      secretName: `workforce-notifier/the-southern-office-${connection.name}`,
    }));
  const config = { ...EVERYTHING, functions: LARGE_ACCOUNT, encryption: 'customer-managed' as const };

  test('of 30 connections with long names fit into what IAM takes', () => {
    const { ofType } = synthesize({ ...config, connections: connections(30) });
    const lengths = ofType('AWS::IAM::Role').map((role) => JSON.stringify(permissionsOf(role)).length);
    expect(lengths.length).toBeGreaterThanOrEqual(12);
    expect(Math.max(...lengths)).toBeGreaterThan(7_000);
    expect(Math.max(...lengths)).toBeLessThan(10_240);
  });

  test('that are longer are an error before anything is deployed', () => {
    expect(() => synthesize({ ...config, connections: connections(40) })).toThrow(
      /^connections: the policy of workforce-notifier\/PollTimesheets\/Role takes up to 1\d{4} characters, and IAM allows 10240; use fewer connections/,
    );
  });
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
