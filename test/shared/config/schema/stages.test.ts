import { describe, expect, test } from 'vitest';
import { chooseStage, defineNotifierStages, parseNotifierStages } from '#shared/config/schema/stages.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};
const STAGES = defineNotifierStages({
  connections: [CONNECTION],
  alarms: { email: 'operations@acme.example', silentAfterMinutes: 30 },
  stages: {
    test: { connections: [{ ...CONNECTION, baseUrl: 'https://test.workforce.example' }] },
    production: { account: '111122223333', region: 'ap-southeast-2', alarms: {} },
  },
});

test('a config without stages is what it was, and has no name', () => {
  const [only, ...others] = parseNotifierStages({ connections: [CONNECTION] });
  expect([only?.stage, only?.config.stackName, others]).toEqual([null, 'workforce-notifier', []]);
});

test('a stage has the settings of the base but for its own, each of which replaces one as a whole', () => {
  const found = parseNotifierStages(STAGES).map(({ stage, config }) => {
    const { stackName, account, region, connections, alarms } = config;
    return { stage, stackName, account, region, baseUrl: connections[0]?.baseUrl, alarms };
  });
  expect(found).toEqual([
    {
      stage: 'test',
      stackName: 'workforce-notifier-test',
      baseUrl: 'https://test.workforce.example',
      alarms: {
        email: 'operations@acme.example',
        silentAfterMinutes: 30,
        waitingAfterMinutes: 15,
        otherSubscribers: false,
      },
    },
    {
      stage: 'production',
      stackName: 'workforce-notifier-production',
      account: '111122223333',
      region: 'ap-southeast-2',
      baseUrl: 'https://acme.workforce.example',
      alarms: { silentAfterMinutes: 15, waitingAfterMinutes: 15, otherSubscribers: false },
    },
  ]);
});

describe('the name of the stack', () => {
  const namesOf = (input: object) => parseNotifierStages(input).map(({ config }) => config.stackName);

  test('is that of the base with the stage behind it, or one of its own', () => {
    const stages = { test: {}, production: { stackName: 'Payroll' } };
    expect(namesOf({ stackName: 'notifier', connections: [CONNECTION], stages })).toEqual([
      'notifier-test',
      'Payroll',
    ]);
  });

  test.each([
    [
      { test: { stackName: 'notifier' }, production: { stackName: 'notifier', region: 'eu-west-1' } },
      'stages.production.stackName: "notifier" is the stack of test already; give each stage one of its own, or none',
    ],
    [
      { test: { stackName: 'workforce-notifier-production' }, production: {} },
      'stages.production.stackName: "workforce-notifier-production" is the stack of test already; give each stage one of its own, or none',
    ],
  ])('twice is refused: %j', (stages, message) => {
    expect(() => namesOf({ connections: [CONNECTION], stages })).toThrow(`notifier.config.ts: ${message}`);
  });
});

test.each([
  [{ stages: {} }, 'stages: give an object with a member for each stage, such as { test: { ... } }'],
  [{ stages: ['test'] }, 'stages: give an object with a member for each stage, such as { test: { ... } }'],
  [
    { stages: { Test: {} } },
    'stages: a stage is a-z, 0-9 and -, begins with a letter, at most 31 long, got "Test"',
  ],
  [{ stages: { test: null } }, 'stages.test: give an object with its settings, or {}'],
  [{ stages: { test: {} } }, 'stages.test: connections: is missing; give a list'],
  [
    { connections: [CONNECTION], stages: { test: { timezone: 'UTC' } } },
    'stages.test: the config: unknown setting "timezone"',
  ],
  [
    { connections: [CONNECTION], stages: { test: { region: 'Sydney' } } },
    'stages.test: region: a region is its code, such as ap-southeast-2, got "Sydney"',
  ],
])('%j says where it is wrong', (input, message) => {
  expect(() => parseNotifierStages(input)).toThrow(`notifier.config.ts: ${message}`);
});

describe('of several stages', () => {
  const configs = parseNotifierStages(STAGES);

  test('the one that was named is chosen', () => {
    expect(chooseStage(configs, 'production').stackName).toBe('workforce-notifier-production');
  });

  test('one must be named', () => {
    expect(() => chooseStage(configs, undefined)).toThrow(
      'the config has several stages; name one with --stage or NOTIFIER_STAGE: test, production',
    );
  });

  test('another is refused', () => {
    expect(() => chooseStage(configs, 'prod')).toThrow(
      '--stage prod: there is no such stage; use one of test, production',
    );
  });
});

test('the only one needs no name', () => {
  const only = parseNotifierStages({ connections: [CONNECTION], stages: { test: {} } });
  expect(chooseStage(only, undefined).stackName).toBe('workforce-notifier-test');
  const unnamed = parseNotifierStages({ connections: [CONNECTION] });
  expect(chooseStage(unnamed, undefined).stackName).toBe('workforce-notifier');
  expect(() => chooseStage(unnamed, 'test')).toThrow(
    '--stage test: there is no such stage; the config has no stages; leave --stage out',
  );
});
