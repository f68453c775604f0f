import { describe, expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import {
  findNeededTypes,
  findTypesNeededOnlyLate,
  peopleSchema,
  readAlerting,
} from '#shared/config/schema/people.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};
const SLACK = { kind: 'slack', name: 'payroll', secretName: 'notifier/slack' };
const EMAIL = { kind: 'email', name: 'office', addresses: ['payroll@acme.example'] };

describe('people', () => {
  test('are told nothing when no channel is named', () => {
    const { people } = parseNotifierConfig({ connections: [CONNECTION] });

    expect(people.channels).toEqual([]);
    expect(findNeededTypes(people).size).toBe(0);
  });

  test('reach a function as they are', () => {
    const config = parseNotifierConfig({
      connections: [CONNECTION],
      people: {
        channels: [
          { ...SLACK, tells: ['closings'], departments: [501], quietHours: { from: '20:00', to: '07:00' } },
          EMAIL,
        ],
      },
    });
    expect(readAlerting(JSON.parse(JSON.stringify(config)))).toEqual({
      ...config.people,
      connections: [{ name: 'main', timeZone: 'Pacific/Auckland' }],
    });
  });
});

describe('types that a queue for alerts must get', () => {
  test('are those of its news, by topic, each once', () => {
    expect(needed({ tells: ['closings'] }, { tells: ['closings', 'approvals'] })).toEqual({
      'pay-periods': ['due', 'closed', 'recounted', 'reopened', 'settled'].map(
        (type) => `workforce.pay_period.${type}`,
      ),
    });
    expect(needed({ tells: ['missing-clockings'] })).toEqual({
      // Whoever was told hears what ended it.
      timesheets: [
        'workforce.timesheet.changed',
        'workforce.timesheet.approved',
        'workforce.timesheet.payroll_approved',
        'workforce.timesheet.processed',
        'workforce.timesheet.removed',
        'workforce.timesheet.clocked_in',
        'workforce.timesheet.clock_in_removed',
        'workforce.timesheet.clocked_out',
        'workforce.timesheet.clock_in_missing',
        'workforce.timesheet.clock_out_missing',
      ],
    });
    expect(Object.keys(needed({}))).toEqual(['timesheets', 'pay-periods', 'operations']);
    expect(Object.keys(needed({ for: 'operations' }))).toEqual(['operations']);
  });

  test('are wanted late alone where nobody wants them otherwise', () => {
    const lateTypes = (...channels: object[]) => [...findTypesNeededOnlyLate(parse(channels))];
    const types = (...names: string[]) => names.map((name) => `workforce.timesheet.${name}`);
    expect(lateTypes({})).toEqual(expect.arrayContaining(types('created', 'changed', 'approved', 'removed')));
    // It settles what was told as late.
    expect(lateTypes({})).not.toContain('workforce.timesheet.processed');
    // What ends a missing clocking is heard, late or not.
    const alsoEnds = lateTypes({}, { tells: ['missing-clockings'] });
    expect(alsoEnds).toEqual(
      types('created', 'approval_revoked', 'payroll_approval_revoked', 'processing_reverted').concat(
        types('clock_in_corrected', 'clock_out_corrected', 'clock_out_removed'),
      ),
    );
  });

  function parse(channels: readonly object[]) {
    return peopleSchema.parse({ channels: channels.map((each) => ({ ...SLACK, ...each })) });
  }

  function needed(...channels: readonly object[]): object {
    return Object.fromEntries(findNeededTypes(parse(channels)));
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
      '[0].name: a channel name is such as payroll: a-z, 0-9 and -, begins with a letter, at most 31 long, got "Pay Roll"',
    ],
    [
      [SLACK, { ...EMAIL, name: 'payroll' }],
      '[1].name: the name "payroll" is taken by an entry before it; use a unique name',
    ],
    [
      [{ ...SLACK, tells: ['payday'] }],
      '[0].tells[0]: give one of "approvals", "closings", "late-changes", "missing-clockings", "troubles", got "payday"',
    ],
    [[{ ...SLACK, departments: [null] }], '[0].departments[0]: an id is a text or a whole number, got null'],
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
  ])('%j', (channels, line) => {
    expect(faultsOf({ channels })).toEqual([`people.channels${line}`]);
  });

  test('a kind that has no names', () => {
    expect(faultsOf({ names: ['salaries'] })).toEqual([
      'people.names[0]: give one of "employees", "departments", "managers", got "salaries"',
    ]);
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
    expect(faultsOf({ channels: [{ ...SLACK, ...wrong }] })).toEqual([`people.channels[0]${line}`]);
  });
});

test('an address of a channel cannot be that for alarms: SNS would give it one subscription for both', () => {
  const channels = [{ name: 'office', kind: 'email', addresses: ['payroll@Acme.example'] }];
  const withEmail = (email: string) =>
    parseNotifierConfig({ connections: [CONNECTION], people: { channels }, alarms: { email } });
  expect(() => withEmail('payroll@acme.example')).toThrow(
    'alarms.email: this address is in a channel already, and SNS gives an address one subscription to a topic; use another one, such as operations+alarms@acme.example',
  );
  expect(() => withEmail('Payroll@ACME.example')).toThrow('alarms.email: this address is in a channel');
  expect(withEmail('operations@acme.example').alarms.email).toBe('operations@acme.example');
});

/** Lines of the error that a config with these alerts is answered with, without the name of the file. */
function faultsOf(people: object): string[] {
  try {
    parseNotifierConfig({ connections: [CONNECTION], people });
  } catch (error) {
    return String((error as Error).message)
      .split('\n')
      .map((line) => line.replace('notifier.config.ts: ', ''));
  }
  return [];
}
