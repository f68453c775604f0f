import { describe, expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { findNeededTypes, listSummaryTimes } from '#shared/config/schema/people.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};
const SLACK = { kind: 'slack', name: 'payroll', secretName: 'notifier/slack' };
const WEEKLY = { name: 'Weekly', closesAt: 'Fri 10:00' };

describe('calendars of a connection', () => {
  test('have two reminders unless others are named, and are left out when there are none', () => {
    const { connections } = parseNotifierConfig({ connections: [{ ...CONNECTION, calendars: [WEEKLY] }] });
    expect(connections[0]?.calendars).toEqual([{ ...WEEKLY, remindBefore: ['1d', '1h'] }]);
    expect(parseNotifierConfig({ connections: [CONNECTION] }).connections[0]).not.toHaveProperty('calendars');
  });

  test.each([
    [
      [{ ...WEEKLY, closesAt: 'Friday 10:00' }],
      `[0].closesAt: closesAt is a weekday and a time such as 'Fri 10:00', or days after the last day of a period and a time such as '+2d 10:00', got "Friday 10:00"`,
    ],
    [
      [{ ...WEEKLY, closesAt: '+0d 10:00' }],
      `[0].closesAt: closesAt is a weekday and a time such as 'Fri 10:00', or days after the last day of a period and a time such as '+2d 10:00', got "+0d 10:00"`,
    ],
    [
      [{ ...WEEKLY, remindBefore: ['1d', '5m'] }],
      `[0].remindBefore[1]: a reminder is a time before the deadline such as '1d', '4h' or '30m', from 10m to 31d, got "5m"`,
    ],
    [
      [{ ...WEEKLY, remindBefore: ['1h', '60m'] }],
      '[0].remindBefore[1]: this reminder is in the list already; name it once, got "60m"',
    ],
    [
      [WEEKLY, { ...WEEKLY, closesAt: 'Thu 10:00' }],
      '[1].name: the calendar "Weekly" has an entry before it; give each calendar one',
    ],
    [[{ name: 'Weekly' }], '[0].closesAt: is missing; give a text'],
  ])('that cannot be right are named with path, value and remedy: %j', (calendars, expected) => {
    const parse = () => parseNotifierConfig({ connections: [{ ...CONNECTION, calendars }] });
    expect(parse).toThrow(`notifier.config.ts: connections[0].calendars${expected}`);
  });
});

describe('a daily summary', () => {
  test('needs its type of event, and no rule', () => {
    const { people } = parseNotifierConfig({
      connections: [CONNECTION],
      people: { channels: [{ ...SLACK, tells: ['approvals'], dailySummary: { at: '08:00' } }] },
    });
    expect([...findNeededTypes(people)]).toEqual([['pay-periods', ['workforce.pay_period.due']]]);
    expect(listSummaryTimes(people)).toEqual(['08:00']);
  });

  test.each([
    [
      { dailySummary: { at: '8:00' } },
      'dailySummary.at: a time of day is HH:MM, from 00:00 to 23:59, got "8:00"',
    ],
    [
      { quietHours: { from: '20:00', to: '07:00' }, dailySummary: { at: '06:30' } },
      'dailySummary.at: is in the quiet hours of this channel, which would hold the summary; use 07:00 or later, got "06:30"',
    ],
  ])('that cannot be right is named with path, value and remedy: %j', (values, expected) => {
    const parse = () =>
      parseNotifierConfig({ connections: [CONNECTION], people: { channels: [{ ...SLACK, ...values }] } });
    expect(parse).toThrow(`notifier.config.ts: people.channels[0].${expected}`);
  });
});
