import { describe, expect, test } from 'vitest';
import config from '#config';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { BASE, CONNECTION, faultsOf, WEBHOOK } from './base-config.ts';

const QUEUE = { name: 'payroll', topics: ['timesheets'] };
const PUBLIC = { http: false, privateAddresses: false };
const IDS = Array.from({ length: 150 }, (_, index) => index);

test('a config needs a connection and nothing else', () => {
  const { connections, people, ...others } = parseNotifierConfig({ connections: [CONNECTION] });
  expect(others).toMatchObject({
    stackName: 'workforce-notifier',
    poll: { directory: false, memoryMb: 512 },
    alarms: {},
    queues: [],
  });
  expect(connections).toMatchObject([
    { name: 'main', window: { backDays: 35, forwardDays: 14 }, retentionDays: 90 },
  ]);
  expect(connections[0]).not.toHaveProperty('calendars');
  expect(people.channels).toEqual([]);
});

test('what is left out of a webhook or a calendar is what most want', () => {
  const { connections, webhooks } = parseNotifierConfig(BASE);
  expect(webhooks[0]).toEqual({ ...WEBHOOK, filter: {}, paused: false, allow: PUBLIC });
  expect(connections[0]?.calendars).toMatchObject([{ name: 'Weekly', remindBefore: ['1d', '1h'] }]);
});

test('ids may be numbers or texts, and are the texts that SNS compares', () => {
  const filter = { organisationId: [7, '8'], departmentId: [9] };
  const { queues } = parseNotifierConfig({ ...BASE, queues: [{ ...QUEUE, filter }] });
  expect(queues).toMatchObject([{ filter: { organisationId: ['7', '8'], departmentId: ['9'] } }]);
});

test('the config of this repository is right', () => {
  expect(parseNotifierConfig(config).connections.map(({ name }) => name)).toEqual(['main']);
});

describe('right is', () => {
  test.each([
    { baseUrl: 'http://127.0.0.1:8080' },
    { baseUrl: 'http://localhost:8080' },
    { baseUrl: 'http://[::1]:8080' },
    { baseUrl: 'http://acme.workforce.example', allowHttp: true },
    { secretName: 'ssm:/secrets/main' },
    { secretName: `ssm:/secrets${'/a'.repeat(14)}` },
  ])('a connection with %j', (change) => {
    expect(faultsOf({ ...BASE, connections: [{ ...CONNECTION, ...change }] })).toEqual([]);
  });

  test.each([
    { url: 'https://payroll.acme.example:8443/hook?tenant=1' },
    { url: 'http://localhost:3000/hook', allow: { http: true, privateAddresses: true } },
    { filter: { departmentId: IDS } },
    { paused: true },
  ])('a webhook with %j', (change) => {
    expect(faultsOf({ ...BASE, webhooks: [{ ...WEBHOOK, ...change }] })).toEqual([]);
  });

  test.each([
    { recordUrl: 'https://time.acme.example/{timesheetId}' },
    { recordUrl: 'https://acme.example/app?sheet={timesheetId}&of={employeeId}#{connection}' },
    { consoleUrl: 'http://127.0.0.1:4600' },
    { consoleUrl: 'https://console.acme.example' },
  ])('%j', (links) => {
    expect(parseNotifierConfig({ ...BASE, links }).links).toEqual(links);
  });
});

describe('an existing queue', () => {
  const queueArn = 'arn:aws:sqs:eu-west-1:111122223333:theirs';
  const [one, two] = ['one', 'two'].map((name) => ({ name, queueArn }));

  test.each([
    [['timesheets'], ['timesheets']],
    [
      ['timesheets', 'pay-periods'],
      ['operations', 'timesheets'],
    ],
  ])('is subscribed to a topic once: %j and %j are refused', (first, second) => {
    const queues = [
      { ...one, topics: first },
      { ...two, topics: second, filter: { departmentId: [7] } },
    ];
    expect(faultsOf({ ...BASE, queues })).toEqual([
      `queues[1].queueArn: the entry "one" subscribes this queue to the topic timesheets already, and SNS allows that once; make one entry of the two, or use another queue, got "${queueArn}"`,
    ]);
  });

  test('may be subscribed to several topics, and several queues to one', () => {
    const { topics } = QUEUE;
    const other = { name: 'three', queueArn: `${queueArn}-too`, topics };
    const made = { name: 'four', topics };
    const queues = [{ ...one, topics }, { ...two, topics: ['operations'] }, other, made];
    expect(faultsOf({ ...BASE, queues })).toEqual([]);
  });
});
