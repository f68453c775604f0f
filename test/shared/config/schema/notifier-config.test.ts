import { describe, expect, test } from 'vitest';
import config from '#config';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};
/** Header, payload and signature of RFC 7515, appendix A.1, cut short. */
const JWT = 'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UifQ.dBjftJeZ4CVP';
const QUEUE = { name: 'payroll', topics: ['timesheets'] };

describe('a config', () => {
  test('needs a connection and nothing else', () => {
    expect(parseNotifierConfig({ connections: [CONNECTION] })).toMatchObject({
      stackName: 'workforce-notifier',
      connections: [{ name: 'main', window: { backDays: 35, forwardDays: 14 }, retentionDays: 90 }],
      poll: { directory: false, memoryMb: 512 },
      alarms: {},
      queues: [],
    });
  });

  test('takes ids as numbers or texts, and hands them on as the texts that SNS compares', () => {
    const filter = { organisationId: [7, '8'], departmentId: [9] };
    const { queues } = parseNotifierConfig({
      connections: [CONNECTION],
      queues: [{ ...QUEUE, filter }],
    });
    expect(queues).toMatchObject([{ filter: { organisationId: ['7', '8'], departmentId: ['9'] } }]);
  });

  test.each([
    { baseUrl: 'http://127.0.0.1:8080' },
    { baseUrl: 'http://localhost:8080' },
    { baseUrl: 'http://[::1]:8080' },
    { baseUrl: 'http://acme.workforce.example', allowHttp: true },
  ])('takes a source over http on this host, and elsewhere when configured so: %j', (address) => {
    expect(faultsOf({ connections: [{ ...CONNECTION, ...address }] })).toEqual([]);
  });

  test('of this repository is right', () => {
    expect(parseNotifierConfig(config).connections.map(({ name }) => name)).toEqual(['main']);
  });
});

describe('what is wrong is named with path, value and remedy', () => {
  test.each([
    [{ connections: [] }, 'connections: name at least one connection'],
    [
      {},
      'connections: is missing; give a list, such as [{ name: "main", baseUrl: "https://acme.workforce.example" }]',
    ],
    [
      { connections: [{ ...CONNECTION, timeZone: 'Auckland' }] },
      'connections[0].timeZone: unknown time zone "Auckland"; use an IANA name such as Pacific/Auckland',
    ],
    [
      { connections: [{ ...CONNECTION, name: 'Main Office' }] },
      'connections[0].name: a connection name is such as main: a-z, 0-9 and -, begins with a letter, at most 31 long, got "Main Office"',
    ],
    ...['http://acme.workforce.example', 'http://127.0.0.1.example', 'http://localhost.example'].map(
      (baseUrl): [Record<string, unknown>, string] => [
        { connections: [{ ...CONNECTION, baseUrl }] },
        `connections[0].baseUrl: baseUrl is http, which shows the token to the network; use https, or set allowHttp to true, got "${baseUrl}"`,
      ],
    ),
    [
      { connections: [{ ...CONNECTION, name: 'alerts' }] },
      'connections[0].name: a connection cannot be called alerts, deliveries, webhook: the table uses these names; use another one, got "alerts"',
    ],
    [
      { connections: [CONNECTION, { ...CONNECTION, timeZone: 'UTC' }] },
      'connections[1].name: the name "main" is taken by an entry before it; use a unique name',
    ],
    [{ poll: { memoryMb: 0 } }, 'poll.memoryMb: give at least 256, got 0'],
    [
      { queues: [{ name: 'x', topics: ['timesheet'] }] },
      'queues[0].topics[0]: give one of "timesheets", "pay-periods", "directory", "operations"; did you mean "timesheets"?, got "timesheet"',
    ],
    [
      { links: ['a'] },
      'links: give an object, such as { recordUrl: "https://acme.example/timesheets/{timesheetId}", consoleUrl: "http://127.0.0.1:4600" }, got a list',
    ],
    [
      { connections: [{ ...CONNECTION, timeZone: undefined }] },
      'connections[0].timeZone: is missing; give a text: use an IANA name such as Pacific/Auckland',
    ],
    [{ stackNames: 'x' }, 'the config: unknown setting "stackNames"; did you mean stackName?'],
    [
      { vpc: { vpcId: 'vpc-1' } },
      'the config: unknown setting "vpc"; a network is given to the stack, as `network` in app.ts: docs/in-your-company.md#a-network',
    ],
    [
      { alarms: { pagerDuty: 'x' } },
      'alarms: unknown setting "pagerDuty"; whoever is on call listens to a topic of SNS: give its ARN as alarms.topicArn',
    ],
    [
      { queues: [{ name: 'x', topics: ['timesheets'], filter: { type: ['timesheet.clock*'] } }] },
      'queues[0].filter.type[0]: each type is named, "timesheet.clock*" is none: workforce.timesheet.clocked_in, workforce.timesheet.clock_in_corrected, workforce.timesheet.clock_in_removed and 5 more; docs/events.md lists them all',
    ],
    [{ oauth: 'x' }, 'the config: unknown setting "oauth"; remove it or correct its name'],
    [
      { connections: [{ ...CONNECTION, timezone: 'UTC', windows: {}, colour: 1 }] },
      'connections[0]: unknown setting "timezone", "windows", "colour"; did you mean timeZone, window?',
    ],
    [
      { people: { channels: [{ kind: 'slack', name: 'payroll', secretName: 'x', quiethours: {} }] } },
      'people.channels[0]: unknown setting "quiethours"; did you mean quietHours?',
    ],
    [
      { stackName: 'our notifier' },
      'stackName: a stack name is letters, digits and -, begins with a letter, at most 128 long, got "our notifier"',
    ],
    [
      { alarms: { email: 'nobody' } },
      'alarms.email: email is one address, such as operations@acme.example, got "nobody"',
    ],
    [
      {
        alarms: {
          email: 'operations@acme.example',
          topicArn: 'arn:aws:sns:ap-southeast-2:123456789012:on-call',
        },
      },
      'alarms.email: alarms go to topicArn, so this address would get none; leave one of the two out, or subscribe the address to that topic, got "***@acme.example"',
    ],
    [
      { connections: [{ ...CONNECTION, heartbeat: { secretName: 'https://hc-ping.com/3f1c' } }] },
      'connections[0].heartbeat.secretName: secretName is the name of a secret; put the address into that secret, and its name here',
    ],
    [
      {
        connections: ['main', 'north'].map((name) => ({
          ...CONNECTION,
          name,
          heartbeat: { secretName: 'hc/main' },
        })),
      },
      'connections[1].heartbeat.secretName: a connection before it sends to the same address, which would hide that one of them is silent; use an address for each',
    ],
  ])('%j', (wrong, line) => {
    expect(faultsOf(wrong)).toEqual([`notifier.config.ts: ${line}`]);
  });

  test.each([
    [
      { connections: 5 },
      'connections: give a list, such as [{ name: "main", baseUrl: "https://acme.workforce.example" }], got 5',
    ],
    [
      { connections: [7] },
      'connections[0]: give an object, such as { name: "main", baseUrl: "https://acme.workforce.example" }, got 7',
    ],
    [{ poll: [] }, 'poll: give an object, such as { directory: false, memoryMb: 512 }, got a list'],
    [
      { people: { channels: {} } },
      'people.channels: give a list, such as [{ name: "payroll", tells: ["approvals"] }], got an object',
    ],
    [{ poll: { memoryMb: '256' } }, 'poll.memoryMb: give a number, such as 256, got "256"'],
    [{ poll: { memoryMb: 256.5 } }, 'poll.memoryMb: give a whole number, such as 256, got 256.5'],
    [
      { stackName: 9 },
      'stackName: give a text: a stack name is letters, digits and -, begins with a letter, at most 128 long, got 9',
    ],
    [
      { queues: [{ ...QUEUE, filter: { departmentId: [{}] } }] },
      'queues[0].filter.departmentId[0]: an id is a text or a whole number',
    ],
  ])('a value of another kind with one of the right kind: %j', (wrong, line) => {
    expect(faultsOf(wrong)).toEqual([`notifier.config.ts: ${line}`]);
  });

  test('all at once, one line each', () => {
    expect(faultsOf({ stackName: 'our notifier', people: { names: ['salaries'] } })).toEqual([
      'notifier.config.ts: stackName: a stack name is letters, digits and -, begins with a letter, at most 128 long, got "our notifier"',
      'notifier.config.ts: people.names[0]: give one of "employees", "departments", "managers", got "salaries"',
    ]);
  });
});

describe('a queue that could never get an event is refused', () => {
  test.each([
    [
      { filter: { type: ['timesheet.approved'] } },
      'filter.type[0]: unknown event type "timesheet.approved"; use workforce.timesheet.approved',
    ],
    [
      { filter: { type: ['approved!'] } },
      'filter.type[0]: unknown event type "approved!"; docs/events.md lists them all',
    ],
    [
      { filter: { type: ['workforce.pay_period.closed'] } },
      'filter.type[0]: "workforce.pay_period.closed" is published to the topic pay-periods; add it to topics',
    ],
    [
      { filter: { connection: ['north'] } },
      'filter.connection[0]: there is no connection "north"; use one of main',
    ],
    [
      { filter: { organisationId: numbers(4), departmentId: numbers(10) } },
      'filter: 160 combinations of values, and SNS allows 150; use fewer values, or several entries',
    ],
    [
      { filter: { departmentId: numbers(76) } },
      'filter: 152 combinations of values, and SNS allows 150; use fewer values, or several entries',
    ],
    [
      { queueArn: 'arn:aws:sns:eu-west-1:111122223333:topic' },
      'queueArn: queueArn is the ARN of a standard queue, such as arn:aws:sqs:ap-southeast-2:123456789012:payroll, got "arn:aws:sns:eu-west-1:111122223333:topic"',
    ],
  ])('%j', (wrong, line) => {
    const faults = faultsOf({ queues: [{ ...QUEUE, ...wrong }] });
    expect(faults).toEqual([`notifier.config.ts: queues[0].${line}`]);
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
    expect(faultsOf({ queues })).toEqual([
      `notifier.config.ts: queues[1].queueArn: the entry "one" subscribes this queue to the topic timesheets already, and SNS allows that once; make one entry of the two, or use another queue, got "${queueArn}"`,
    ]);
  });

  test('may be subscribed to several topics, and several queues to one', () => {
    const topics = ['timesheets'];
    const other = { name: 'three', queueArn: `${queueArn}-too`, topics };
    const made = { name: 'four', topics };
    const queues = [{ ...one, topics }, { ...two, topics: ['operations'] }, other, made];
    expect(faultsOf({ queues })).toEqual([]);
  });
});

describe('a secret in the wrong place is not shown', () => {
  test.each([
    [{ token: 'canary' }, 'connections[0]: unknown setting "token"; remove it or correct its name'],
    [
      { secretName: 'my secret' },
      'connections[0].secretName: a secret name is letters, digits and /_+=.@-, such as workforce-notifier/main, or that of a parameter, such as ssm:/secrets/workforce-notifier/main; the secret itself does not belong here',
    ],
    [
      { secretName: 'ssm:canary' },
      'connections[0].secretName: a parameter is ssm:/secrets/ and up to 14 levels of letters, digits and _.-, such as ssm:/secrets/workforce-notifier/main',
    ],
    [
      { secretName: '{"token":"canary"}' },
      'connections[0].secretName: secretName is the name of a secret; put the token into that secret, and its name here',
    ],
    ...[JWT, `${JWT.replace(/[^.]+$/, '')}`, 'eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVy.dGFn'].map(
      (secretName): [Record<string, unknown>, string] => [
        { secretName },
        'connections[0].secretName: secretName is the name of a secret; put the token into that secret, and its name here',
      ],
    ),
    [
      { secretName: { token: 'canary' } },
      'connections[0].secretName: give a text: a secret name is letters, digits and /_+=.@-, such as workforce-notifier/main, or that of a parameter, such as ssm:/secrets/workforce-notifier/main; the secret itself does not belong here',
    ],
    [
      { baseUrl: 'https://me:canary@acme.example' },
      'connections[0].baseUrl: baseUrl must not contain a user name or password; put them into the secret, got "https://***@acme.example"',
    ],
    [
      { baseUrl: 'ftp://acme.example?token=canary' },
      'connections[0].baseUrl: baseUrl is an http or https address, such as https://acme.workforce.example, got "ftp://acme.example?***"',
    ],
  ])('%j', (wrong, line) => {
    expect(faultsOf({ connections: [{ ...CONNECTION, ...wrong }] })).toEqual([`notifier.config.ts: ${line}`]);
  });
});

test.each([
  'ssm:/prod/main',
  'ssm:/secrets',
  'ssm:/secrets/',
  'ssm:/secrets//main',
  `ssm:/secrets${'/a'.repeat(15)}`,
])('the name of a parameter that the notifier does not take is shown: %s', (secretName) => {
  expect(faultsOf({ connections: [{ ...CONNECTION, secretName }] })).toEqual([
    `notifier.config.ts: connections[0].secretName: a parameter is ssm:/secrets/ and up to 14 levels of letters, digits and _.-, such as ssm:/secrets/workforce-notifier/main, got "${secretName}"`,
  ]);
});

test.each(['ssm:/secrets/main', `ssm:/secrets${'/a'.repeat(14)}`])('%s is taken', (secretName) => {
  expect(faultsOf({ connections: [{ ...CONNECTION, secretName }] })).toEqual([]);
});

/** Lines of the error that a config with this member is answered with. */
function faultsOf(member: Record<string, unknown>): string[] {
  const connections = Object.keys(member).length === 0 ? {} : { connections: [CONNECTION] };
  try {
    parseNotifierConfig({ ...connections, ...member });
  } catch (error) {
    return String((error as Error).message).split('\n');
  }
  return [];
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
