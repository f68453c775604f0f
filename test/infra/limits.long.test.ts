import { NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import standardConfig from '#config';
import { HUNG_AFTER_MS } from '#functions/parts/compose.ts';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { POLL_MINUTES } from '#shared/config/poll-times.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
import {
  CONNECTION,
  EVERYTHING,
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
  webhooks: (count) => ({ webhooks: [...(standardConfig.webhooks ?? []), ...named(count, WEBHOOK)] }),
  'channels of Slack': (count) => ({
    people: {
      ...standardConfig.people,
      channels: [...(standardConfig.people?.channels ?? []), ...named(count, { kind: 'slack' as const })],
    },
  }),
  connections: (count) => ({ connections: [...standardConfig.connections, ...named(count, CONNECTION)] }),
  queues: (count) => ({
    queues: [
      ...(standardConfig.queues ?? []),
      // A webhook cannot have the name of one.
      ...named(count, {}).map(({ name }) => ({ name: `queue-${name}`, topics: ['timesheets' as const] })),
    ],
  }),
} satisfies Record<string, (count: number) => Partial<NotifierConfigInput>>;

describe('one stack', () => {
  test.each([
    // As docs/deploying.md says. Each has a part of its own.
    [40, 'webhooks', /^Webhook-[^/]+\/Queue$/],
    [40, 'channels of Slack', /^People\/Slack-[^/]+\/Queue$/],
    [50, 'connections', /^Poll\/Schedules\/(?!Role$|Group$)[^/]+$/],
    [50, 'queues', /^Queue-[^/]+\/Queue$/],
  ] as const)('holds %d %s beside the config of this repository', (count, list, own) => {
    const { stack, resources } = synthesize({ ...standardConfig, ...MANY[list](count) });
    expectWithinQuotas(stack);
    expect(resources.filter(({ path }) => own.test(path))).toHaveLength(count + 1);
  });

  test('holds as many webhooks that want every topic, and 16 more of each at once', () => {
    const webhooks = MANY.webhooks(40).webhooks.map((each) => ({
      ...each,
      topics: [...EVENT_TOPIC_NAMES],
      filter: {},
    }));
    expectWithinQuotas(synthesize({ ...standardConfig, poll: { directory: true }, webhooks }).stack);
    const all = Object.values(MANY).map((more) => more(16));
    expectWithinQuotas(synthesize({ ...standardConfig, ...Object.assign({}, ...all) }).stack);
  });
});

test('a stack that CloudFormation would refuse names what takes most of it', () => {
  const webhooks = named(80, WEBHOOK);
  expect(() => synthesize({ webhooks })).toThrow(
    /^webhooks: the stack has \d+ resources, \d+ of them for these, and CloudFormation takes 500; move some into a second stack/,
  );
});

test.each([
  ['the config of this repository', standardConfig],
  ['a config with everything', EVERYTHING],
])(
  'with %s, a poll that hangs leaves webhooks, alerts and the next poll theirs of 10 executions at once',
  (_, config) => {
    expect(HUNG_AFTER_MS).toBeLessThanOrEqual(POLL_MINUTES * 60_000);
    const bounds = synthesize(config)
      .ofType('AWS::Lambda::EventSourceMapping')
      .map(({ properties }) => {
        const scaling = properties.ScalingConfig as { MaximumConcurrency: number } | undefined;
        return scaling?.MaximumConcurrency ?? 1;
      });
    // And one that polls, one that releases alerts, and one that checks deliveries.
    expect(bounds.reduce((sum, bound) => sum + bound, 3)).toBeLessThanOrEqual(10);
  },
);

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
    const few = synthesize({ ...config, connections: connections(2) });
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

test('the policy of a queue holds the longest operators that there may be', () => {
  const operators = Array.from(
    { length: 10 },
    (_, at) => `arn:aws-us-gov:iam::123456789012:role/${at}${'x'.repeat(149)}`,
  );
  const built = synthesize({ ...EVERYTHING, operators });
  for (const { properties } of built.ofType('AWS::SQS::QueuePolicy')) {
    const text = JSON.stringify(properties.PolicyDocument)
      .replaceAll(/<AWS::[^>]+>/g, 'us-gov-west-1')
      .replaceAll(/<[^>]+>/g, 'x'.repeat(130));
    expect(text.length).toBeLessThan(8_192);
  }
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

/** Copies of an entry with different names and secrets. */
function named<Entry extends object>(count: number, entry: Entry) {
  return Array.from({ length: count }, (_, at) => ({
    ...{ ...entry, name: `number-${at}`, secretName: `workforce-notifier/number-${at}` },
  }));
}
