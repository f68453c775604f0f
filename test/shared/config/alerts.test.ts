import { describe, expect, test } from 'vitest';
import { readSetting, writeSetting } from '#shared/config/environment.ts';
import { DEFAULT_ALERT_RULES } from '#shared/config/schema/alert-rule.ts';
import {
  alertingSchema,
  alertsSchema,
  findNeededTypes,
  findTypesNeededOnlyLate,
} from '#shared/config/schema/alerting.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};
const SLACK = { kind: 'slack', name: 'payroll', secretName: 'notifier/slack' };
const EMAIL = { kind: 'email', name: 'office', addresses: ['payroll@acme.example'] };
const RULE = { types: ['workforce.timesheet.changed'] };

describe('alerts', () => {
  test('send nothing when no channel is named', () => {
    const { alerts } = parseNotifierConfig({ connections: [CONNECTION] });

    expect(alerts.channels).toEqual([]);
    expect(findNeededTypes(alerts).size).toBe(0);
  });

  test('of channels alone have the default rules, and one message a minute', () => {
    const { alerts } = parseNotifierConfig({ connections: [CONNECTION], alerts: { channels: [SLACK] } });

    expect(alerts).toMatchObject({
      channels: [{ ...SLACK, digestSeconds: 60, names: [] }],
      rules: DEFAULT_ALERT_RULES,
    });
  });

  test('by default leave people in peace at night, unless a period is opened again', () => {
    const { rules } = alertsSchema.parse({ channels: [SLACK] });

    expect(rules.filter(({ urgent }) => urgent).flatMap(({ types }) => types)).toEqual([
      'workforce.pay_period.reopened',
    ]);
    expect(rules.flatMap(({ types }) => types)).toEqual(
      expect.arrayContaining(['workforce.source.unreachable', 'workforce.source.recovered']),
    );
  });

  test('pass through the environment of a function unchanged', () => {
    const { alerts } = parseNotifierConfig({
      connections: [CONNECTION],
      alerts: {
        channels: [{ ...SLACK, quietHours: { from: '20:00', to: '07:00' } }, EMAIL],
        rules: [{ ...RULE, when: { departmentId: [501], late: ['close'] }, words: 'Look: {sentence}' }],
      },
    });
    const alerting = { ...alerts, connections: [{ name: 'main', timeZone: 'Pacific/Auckland' }] };

    expect(alertingSchema.parse(readSetting(writeSetting(alerting)))).toEqual(alerting);
  });
});

describe('the address of a record', () => {
  test.each([
    'https://time.acme.example/{timesheetId}',
    'https://acme.example/app?sheet={timesheetId}&of={employeeId}#{connection}',
  ])('may be %s', (recordUrl) => {
    expect(alertsSchema.parse({ recordUrl }).recordUrl).toBe(recordUrl);
  });

  test.each([
    'http://time.acme.example/{timesheetId}',
    'https://time.acme.example/',
    'https://{timesheetId}.acme.example/',
    'https://{timesheetId}/',
    'https://time.acme.example/{timesheetId}/{name}',
    'https://time.acme.example/{timesheetId} now',
    'javascript:alert({timesheetId})',
  ])('may not be %s', (recordUrl) => {
    const parsed = alertsSchema.safeParse({ recordUrl });
    expect(parsed.error?.issues[0]?.message).toMatch(
      /^recordUrl is an https address with \{timesheetId\} in it/,
    );
  });
});

describe('the address of the console', () => {
  test.each(['http://127.0.0.1:4600', 'https://console.acme.example'])('may be %s', (consoleUrl) => {
    expect(alertsSchema.parse({ consoleUrl }).consoleUrl).toBe(consoleUrl);
  });

  test.each([
    '127.0.0.1:4600',
    'http://127.0.0.1:4600/',
    'http://a@b',
    'https://a/?token=x',
    'javascript:alert(1)',
  ])('may not be %s', (consoleUrl) => {
    const parsed = alertsSchema.safeParse({ consoleUrl });
    expect(parsed.error?.issues[0]?.message).toMatch(/^consoleUrl is the address of a console without path/);
  });
});

describe('types that a queue for alerts must get', () => {
  test('are those of the rules, by topic, each once', () => {
    expect(needed([RULE, { types: ['workforce.timesheet.created', ...RULE.types] }])).toEqual({
      timesheets: [
        'workforce.timesheet.created',
        'workforce.timesheet.changed',
        // It settles a late change.
        'workforce.timesheet.processed',
      ],
    });
    expect(needed([{ types: ['workforce.pay_period.reopened'] }])).toEqual({
      'pay-periods': ['workforce.pay_period.closed', 'workforce.pay_period.reopened'],
    });
    expect(needed([{ types: ['workforce.timesheet.clock_in_missing'] }])).toEqual({
      // Whoever was told hears what ended it.
      timesheets: [
        'workforce.timesheet.changed',
        'workforce.timesheet.approved',
        'workforce.timesheet.payroll_approved',
        'workforce.timesheet.processed',
        'workforce.timesheet.removed',
      ],
      clockings: [
        'workforce.timesheet.clocked_in',
        'workforce.timesheet.clock_in_removed',
        'workforce.timesheet.clocked_out',
        'workforce.timesheet.clock_in_missing',
      ],
    });
    expect(needed([{ types: ['workforce.timesheet.clocked_in', 'workforce.source.unreachable'] }])).toEqual({
      clockings: ['workforce.timesheet.clocked_in'],
      // It ends the trouble.
      operations: ['workforce.source.unreachable', 'workforce.source.recovered'],
    });
  });

  test('are wanted late alone where no rule wants them otherwise', () => {
    const late = { late: ['close' as const] };
    const types = (...names: string[]) => names.map((name) => `workforce.timesheet.${name}`);
    const lateTypes = (rules: object[]) => [
      ...findTypesNeededOnlyLate(alertsSchema.parse({ channels: [SLACK], rules })),
    ];
    expect(lateTypes([{ types: types('created', 'changed'), when: late }])).toEqual(
      types('created', 'changed'),
    );
    expect(
      lateTypes([
        { types: types('created', 'changed'), when: { late: true } },
        { types: types('changed', 'approved'), when: { late: false } },
        { types: types('removed') },
      ]),
    ).toEqual(types('created'));
    // What ends a missing clocking is heard, late or not.
    expect(
      lateTypes([{ types: types('removed'), when: late }, { types: types('clock_out_missing') }]),
    ).toEqual([]);
  });

  function needed(rules: readonly object[]): object {
    return Object.fromEntries(findNeededTypes(alertsSchema.parse({ channels: [SLACK], rules })));
  }
});

describe('a channel that cannot be right is named with path, value and remedy', () => {
  test.each([
    [[{ ...SLACK, kind: 'sms' }], '[0].kind: the kind of a channel is slack, teams or email, got "sms"'],
    [
      [{ ...SLACK, kind: 'teams', secretName: 'https://acme.logic.azure.com/x' }],
      '[0].secretName: secretName is the name of a secret; put the address into that secret, and its name here',
    ],
    [
      [{ ...SLACK, name: 'Pay Roll' }],
      '[0].name: a channel name is a-z, 0-9 and -, begins with a letter, at most 31 long, got "Pay Roll"',
    ],
    [
      [SLACK, { ...EMAIL, name: 'payroll' }],
      '[1].name: the name "payroll" is taken by an entry before it; use a unique name',
    ],
    [[{ ...SLACK, digestSeconds: 3_601 }], '[0].digestSeconds: give at most 3600, got 3601'],
    [
      [{ ...SLACK, quietHours: { from: '20:00', to: '20:00' } }],
      '[0].quietHours.to: from and to are the same time; use two different ones, got "20:00"',
    ],
    [
      [{ ...SLACK, quietHours: { from: '24:00', to: '07:00' } }],
      '[0].quietHours.from: a time of day is HH:MM, from 00:00 to 23:59, got "24:00"',
    ],
    [
      [{ ...EMAIL, addresses: ['a@acme.example', 'A@acme.example'] }],
      '[0].addresses[1]: this address is in the list already; name it once, got "***@acme.example"',
    ],
    [
      [{ ...EMAIL, addresses: ['payroll'] }],
      '[0].addresses[0]: an address such as payroll@acme.example, got "payroll"',
    ],
    [
      [{ ...SLACK, channelId: '#payroll' }],
      '[0].channelId: the id of a Slack channel is such as C0123456789; Slack shows it below the details of the channel, got "#payroll"',
    ],
    [
      [{ ...SLACK, kind: 'teams', channelId: 'C0123456789' }],
      '[0]: unknown setting "channelId"; remove it or correct its name',
    ],
    [
      [{ ...SLACK, names: ['salaries'] }],
      '[0].names[0]: give one of "employees", "departments", "activities", "organisations", "managers", got "salaries"',
    ],
  ])('%j', (channels, line) => {
    expect(faultsOf({ channels })).toEqual([`alerts.channels${line}`]);
  });

  test.each([
    [
      { secretName: 'https://hooks.slack.example/services/T/B/canary' },
      '.secretName: secretName is the name of a secret; put the address or token into that secret, and its name here',
    ],
    [
      { secretName: 'xoxb-1111-canary' },
      '.secretName: secretName is the name of a secret; put the address or token into that secret, and its name here',
    ],
    [{ url: 'https://canary' }, ': unknown setting "url"; remove it or correct its name'],
  ])('and its address is not shown: %j', (wrong, line) => {
    expect(faultsOf({ channels: [{ ...SLACK, ...wrong }] })).toEqual([`alerts.channels[0]${line}`]);
  });
});

describe('a rule that cannot be right is named with path, value and remedy', () => {
  test.each([
    [
      { types: ['timesheet.approved'] },
      '.types[0]: unknown event type "timesheet.approved"; use workforce.timesheet.approved',
    ],
    [{ types: ['payday'] }, '.types[0]: unknown event type "payday"; docs/alerts.md lists them all'],
    [{ ...RULE, channels: ['ceo'] }, '.channels[0]: there is no channel "ceo"; use one of payroll, office'],
    [
      { ...RULE, when: { connection: ['main', 'north'] } },
      '.when.connection[1]: there is no connection "north"; use one of main',
    ],
    [
      { ...RULE, words: 'Attention!' },
      '.words: words must contain {sentence}, where the sentence goes, such as "Please check: {sentence}", got "Attention!"',
    ],
    [
      { ...RULE, words: '{who}: {sentence} {}' },
      '.words: unknown {who}, {} in words; use one of {sentence}, {connection}, {type}, got "{who}: {sentence} {}"',
    ],
    [
      { ...RULE, words: 'a\n{sentence}' },
      '.words: words must be one line without control characters, got "a\\n{sentence}"',
    ],
    [
      { ...RULE, when: { late: ['payroll'] } },
      '.when.late: late is true, false, or a list out of approval, processing and close, not ["payroll"]',
    ],
    [{ ...RULE, when: { hoursChangedBy: 0 } }, '.when.hoursChangedBy: give more than 0, got 0'],
    [
      { ...RULE, when: { departmentId: [null] } },
      '.when.departmentId[0]: an id is a text or a whole number, got null',
    ],
    [
      { ...RULE, when: { employee: ['1'] } },
      '.when: unknown setting "employee"; remove it or correct its name',
    ],
    [
      { ...RULE, when: { timeOfDay: { from: '08:00', to: '08:00' } } },
      '.when.timeOfDay.to: from and to are the same time; use two different ones, got "08:00"',
    ],
  ])('%j', (rule, line) => {
    expect(faultsOf({ channels: [SLACK, EMAIL], rules: [rule] })).toEqual([`alerts.rules[0]${line}`]);
  });

  test.each([
    ['workforce.timesheet.changed', { calendar: ['Weekly'] }, 'has no calendar'],
    ['workforce.pay_period.closed', { departmentId: ['1'] }, 'has no department'],
    ['workforce.source.unreachable', { organisationId: ['1'] }, 'has no organisation'],
    ['workforce.timesheet.approved', { hoursChangedBy: 1 }, 'does not change hours'],
    ['workforce.timesheet.processed', { late: true }, 'is never late'],
    ['workforce.pay_period.created', { late: ['close'] }, 'is never late'],
    ['workforce.pay_period.closed', { late: ['close'] }, 'is never late'],
    [
      'workforce.timesheet.created',
      { late: ['approval', 'processing'] },
      'is never late after approval or processing, only after close',
    ],
    [
      'workforce.timesheet.clocked_out',
      { late: ['processing'] },
      'is never late after approval or processing, only after close',
    ],
    [
      'workforce.timesheet.payroll_approved',
      { late: ['approval'] },
      'is never late after approval or processing, only after close',
    ],
    [
      'workforce.pay_period.changed',
      { late: ['approval'] },
      'is never late after approval or processing, only after close',
    ],
    [
      'workforce.pay_period.reopened',
      { late: ['processing', 'approval'] },
      'is never late after approval or processing, only after close',
    ],
    ['workforce.poll.stalled', { late: false }, 'is neither late nor in time'],
  ])('a type that can never match: %s when %j', (type, when, reason) => {
    expect(faultsOf({ channels: [SLACK], rules: [{ types: [type], when }] })).toEqual([
      `alerts.rules[0].types[0]: "${type}" ${reason}, and can never match; remove the type, or give it a rule of its own`,
    ]);
  });

  test.each([
    ['workforce.timesheet.removed', { late: ['processing'], hoursChangedBy: 0.1, departmentId: [1] }],
    ['workforce.timesheet.clock_in_corrected', { late: true }],
    ['workforce.timesheet.payroll_approval_revoked', { late: true }],
    ['workforce.pay_period.reopened', { late: ['close'], calendar: ['Weekly'] }],
    ['workforce.pay_period.changed', { late: ['approval', 'close'] }],
    ['workforce.timesheet.changed', { late: ['approval'] }],
    ['workforce.timesheet.approved', { late: false, organisationId: ['1'] }],
    ['workforce.timesheet.approved', { late: ['close', 'processing'] }],
    ['workforce.timesheet.clocked_in', { late: true }],
    ['workforce.feed.lagging', { connection: ['main'], timeOfDay: { from: '22:00', to: '06:00' } }],
  ])('and one that can is not: %s when %j', (type, when) => {
    expect(faultsOf({ channels: [SLACK], rules: [{ types: [type], when }] })).toEqual([]);
  });
});

describe('a channel has a rule', () => {
  test('so one that no rule is for is named', () => {
    const rules = [{ ...RULE, channels: ['office'] }];
    expect(faultsOf({ channels: [SLACK, EMAIL, { ...SLACK, name: 'managers' }], rules })).toEqual(
      ['payroll', 'managers'].map(
        (name) =>
          `alerts.channels[${name === 'payroll' ? 0 : 2}].name: no rule sends anything to the channel "${name}"; name it in the channels of a rule, or remove it`,
      ),
    );
  });

  test('so an empty list of rules is an error', () => {
    expect(faultsOf({ channels: [SLACK, EMAIL], rules: [] })).toEqual([
      'alerts.rules: without rules no channel receives anything; add a rule, or leave rules out for the default ones',
    ]);
    expect(faultsOf({ channels: [], rules: [] })).toEqual([]);
  });

  test.each([
    ['a rule without channels', [RULE, { ...RULE, channels: ['office'] }]],
    ['rules that name each', [['office'], ['payroll']].map((channels) => ({ ...RULE, channels }))],
  ])('through %s', (_name, rules) => {
    expect(faultsOf({ channels: [SLACK, EMAIL], rules })).toEqual([]);
  });
});

test('an address of a channel cannot be that for alarms: SNS would give it one subscription for both', () => {
  const channels = [{ name: 'office', kind: 'email', addresses: ['payroll@Acme.example'] }];
  const withEmail = (email: string) =>
    parseNotifierConfig({ connections: [CONNECTION], alerts: { channels }, alarms: { email } });
  expect(() => withEmail('payroll@acme.example')).toThrow(
    'alarms.email: this address is in a channel or gets alarms already, and SNS gives an address one subscription to a topic; use another one, such as operations+alarms@acme.example',
  );
  expect(() => withEmail('Payroll@ACME.example')).toThrow('alarms.email: this address is in a channel');
  expect(withEmail('operations@acme.example').alarms.email).toBe('operations@acme.example');
});

/** Lines of the error that a config with these alerts is answered with, without the name of the file. */
function faultsOf(alerts: object): string[] {
  try {
    parseNotifierConfig({ connections: [CONNECTION], alerts });
  } catch (error) {
    return String((error as Error).message)
      .split('\n')
      .map((line) => line.replace('notifier.config.ts: ', ''));
  }
  return [];
}
