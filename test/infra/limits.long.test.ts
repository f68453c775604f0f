import { NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import standardConfig from '#config';
import { HUNG_AFTER_MS } from '#functions/parts/compose.ts';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
import {
  CONNECTION,
  EVERYTHING,
  partsOf,
  permissionsOf,
  type Statement,
  type Synthesized,
  synthesize,
  WEBHOOK,
} from './synthesized.ts';

/** Quotas of CloudFormation for a stack. */
const MAX_RESOURCES = 500;
const MAX_TEMPLATE_BYTES = 1_000_000;
const MAX_PARAMETERS = 200;

/** The config of this repository with so many entries of a list beside its own. */
const MANY = {
  webhooks: (count) => ({ webhooks: withOthers('webhook', count, standardConfig.webhooks) }),
  'channels of Slack': (count) => ({
    people: {
      ...standardConfig.people,
      channels: withOthers('channel', count, standardConfig.people?.channels),
    },
  }),
  connections: (count) => ({
    connections: withOthers('connection', count, standardConfig.connections),
  }),
  queues: (count) => ({
    queues: withOthers('queue', count, standardConfig.queues),
  }),
} satisfies Record<string, (count: number) => Partial<NotifierConfigInput>>;

describe('one stack', () => {
  test.each([
    // As docs/deploying.md says.
    [40, 'webhooks'],
    [40, 'channels of Slack'],
    [50, 'connections'],
    [50, 'queues'],
  ] as const)('holds %d %s beside the config of this repository', (count, list) => {
    const { stack, ofType } = synthesize({
      ...standardConfig,
      ...MANY[list](count),
    });
    expectWithinQuotas(stack);
    const own = {
      webhooks: 'Webhook-',
      'channels of Slack': 'People/Slack-',
      queues: 'Queue-',
    };
    if (list === 'connections') {
      const polls = ofType('AWS::Scheduler::Schedule').filter(({ path }) => path.startsWith('Poll/'));
      expect(polls).toHaveLength(count + 1);
      return;
    }
    const ofList = ({ path }: { readonly path: string }) => path.startsWith(own[list]);
    // Each with a queue and dead letters of its own, and alarms that name it.
    expect(ofType('AWS::SQS::Queue').filter(ofList)).toHaveLength(2 * (count + 1));
    const about = new Set(
      ofType('AWS::CloudWatch::Alarm')
        .filter(ofList)
        .map(({ path }) => path.split('/').at(-2)),
    );
    expect(about.size).toBe(count + 1);
  });

  test('holds as many webhooks that want every topic', () => {
    const all = { topics: [...EVENT_TOPIC_NAMES], filter: {} };
    const { stack } = synthesize({
      ...standardConfig,
      poll: { directory: true },
      webhooks: MANY.webhooks(40).webhooks.map((each) => ({ ...each, ...all })),
    });
    expectWithinQuotas(stack);
  });

  test('holds 16 more of each at once', () => {
    const all = Object.values(MANY).map((more) => more(16));
    const { stack } = synthesize({
      ...standardConfig,
      ...Object.assign({}, ...all),
    });
    expectWithinQuotas(stack);
  });
});

test('a stack that CloudFormation would refuse names what takes most of it', () => {
  const webhooks = named(80, WEBHOOK);
  expect(() => synthesize({ webhooks })).toThrow(
    /^webhooks: the stack has \d+ resources, \d+ of them for these, and CloudFormation takes 500; move some into a second stack/,
  );
});

describe('executions at once', () => {
  test.each([
    ['the config of this repository', standardConfig],
    ['a config with everything', EVERYTHING],
  ])('with %s, polls that all hang leave webhooks, alerts and each other theirs of 10', (_, config) => {
    const { ofType } = synthesize(config);
    const polls = ofType('AWS::Scheduler::Schedule').filter(({ path }) => path.startsWith('Poll/'));
    const starts = polls.flatMap(({ properties }) => {
      const minutes = Number(/^rate\((\d+) minutes?\)$/.exec(String(properties.ScheduleExpression))?.[1]);
      return Array.from({ length: 30 }, (_each, nth) => nth * minutes * 60_000);
    });
    const atOnce = (now: number) => starts.filter((at) => at <= now && now < at + HUNG_AFTER_MS).length;
    const bounds = boundsOf(ofType);

    expect(polls).toHaveLength(1);
    expect(starts.every(Number.isFinite)).toBe(true);
    // Each is over before the next one.
    expect(Math.max(...starts.map(atOnce))).toBe(1);
    // And one that releases alerts, and one that checks deliveries.
    expect(bounds.reduce((sum, bound) => sum + bound, 3)).toBeLessThanOrEqual(10);
  });
});

test('names that differ by a hyphen alone are no conflict', () => {
  const built = synthesize({ webhooks: ['a1', 'a-1'].map((name) => ({ ...WEBHOOK, name })) });
  expect(partsOf(built)).toMatchObject({
    'queues/webhook-a1/url': '<Webhook-a1/Queue>',
    'queues/webhook-a-1/url': '<Webhook-a-1/Queue>',
  });
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

describe('the policies of roles', () => {
  const connections = (count: number) =>
    named(count, CONNECTION).map((connection) => ({
      ...connection,
      name: `the-southern-office-${connection.name}`,
      secretName: `workforce-notifier/the-southern-office-${connection.name}`,
    }));
  const config = { ...EVERYTHING, encryption: 'customer-managed' as const };

  const managedOf = ({ ofType }: Synthesized) =>
    ofType('AWS::IAM::ManagedPolicy').map(({ path, properties }) => ({
      path,
      length: JSON.stringify(properties.PolicyDocument).length,
    }));

  test('of 20 connections with long names fit into what IAM takes for the policy of a role', () => {
    const built = synthesize({ ...config, connections: connections(20) });
    const lengths = built.ofType('AWS::IAM::Role').map((role) => JSON.stringify(permissionsOf(role)).length);
    expect(lengths.length).toBeGreaterThanOrEqual(9);
    expect(Math.max(...lengths)).toBeGreaterThan(5_000);
    expect(Math.max(...lengths)).toBeLessThan(10_240);
    expect(managedOf(built)).toEqual([]);
  });

  test('of 45 have their longest parts in a policy of its own, which the role refers to', () => {
    const built = synthesize({ ...config, connections: connections(45) });
    const managed = managedOf(built);
    expect(managed.map(({ path }) => path)).toContain('Poll/Role/More');
    for (const { length } of managed) expect(length).toBeLessThan(6_144);
    const role = built.at('Poll/Role');
    expect(role.properties.ManagedPolicyArns).toEqual(['<Poll/Role/More>']);
    const left = permissionsOf(role);
    expect(JSON.stringify(left).length).toBeLessThan(10_240);
    const { PolicyDocument } = built.at('Poll/Role/More').properties as {
      PolicyDocument: { Statement: Statement[] };
    };
    // Nothing is granted twice, and nothing is lost.
    const [few] = [synthesize({ ...config, connections: connections(2) })];
    const granted = [...left, ...PolicyDocument.Statement].map(({ Sid }) => Sid);
    expect(granted.toSorted()).toEqual(
      permissionsOf(few.at('Poll/Role'))
        .map(({ Sid }) => Sid)
        .toSorted(),
    );
  });

  test('that are longer still are an error before anything is deployed', () => {
    expect(() => synthesize({ ...config, connections: connections(90) })).toThrow(
      /^connections: the policies of workforce-notifier\/Default\/Poll\/Role take up to \d{5} characters, and IAM allows 10240 and 6144; use fewer connections/,
    );
  });
});

test('no queue of the config can have the name of another of the stack', () => {
  const config = { ...EVERYTHING, queues: [], webhooks: [] };
  const names = synthesize(config)
    .ofType('AWS::SQS::Queue')
    .map(({ properties }) => String(properties.QueueName).replace('workforce-notifier-', ''));
  const own = names.filter((name) => !name.endsWith('.fifo'));
  expect(own.length).toBeGreaterThanOrEqual(6);
  for (const name of own) {
    const queues = [{ name, topics: ['timesheets' as const] }];
    expect(() => synthesize({ queues })).toThrow(
      `a queue would be called workforce-notifier-${name}, as a built-in one is`,
    );
  }
});

/** Concurrent invocations by each queue. */
function boundsOf(ofType: Synthesized['ofType']): number[] {
  return ofType('AWS::Lambda::EventSourceMapping').map(({ properties }) => {
    const scaling = properties.ScalingConfig as { MaximumConcurrency: number } | undefined;
    return scaling?.MaximumConcurrency ?? 1;
  });
}

function expectWithinQuotas(stack: Stack): void {
  const templates = [stack, ...stack.node.findAll().filter((part) => part instanceof NestedStack)].map(
    (each) => Template.fromStack(each).toJSON(),
  );
  expect(templates).toHaveLength(2);
  for (const { Resources = {}, Parameters = {}, ...rest } of templates) {
    expect(Object.keys(Resources).length).toBeLessThanOrEqual(MAX_RESOURCES);
    expect(Object.keys(Parameters).length).toBeLessThanOrEqual(MAX_PARAMETERS);
    // As the CDK writes it.
    const text = JSON.stringify({ Resources, Parameters, ...rest }, undefined, 1);
    expect(text.length).toBeLessThanOrEqual(MAX_TEMPLATE_BYTES);
  }
}

/** A list with so many copies of its first entry. */
function withOthers<Entry extends object>(
  kind: string,
  count: number,
  entries: readonly Entry[] = [],
): Entry[] {
  const [entry] = entries;
  if (entry === undefined) throw new Error('the config has no entry to copy');
  const secret = (name: string) =>
    'secretName' in entry ? { secretName: `workforce-notifier/${name}` } : {};
  const others = named(count, entry).map((each) => {
    const name = `${kind}-${each.name}`;
    return { ...each, name, ...secret(name) };
  });
  return [...entries, ...others];
}

/** Copies of an entry with different names. */
function named<Entry extends object>(count: number, entry: Entry): (Entry & { name: string })[] {
  return Array.from({ length: count }, (_, at) => ({ ...entry, name: `number-${at}` }));
}
