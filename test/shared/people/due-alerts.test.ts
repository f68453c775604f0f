import { describe, expect, test } from 'vitest';
import { exampleEvent } from '#kit/testing/example-event.ts';
import type { Account } from '#shared/core/periods/account-data.ts';
import { type Alert, alertSchema } from '#shared/people/alert.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { buildMail } from '#shared/people/layout/mail.ts';
import { buildSlackPayload } from '#shared/people/layout/slack-blocks.ts';
import { buildTeamsPayload } from '#shared/people/layout/teams-card.ts';
import { type ChannelInterest, matchChannels } from '#shared/people/match-channels.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import type { DescribableEvent } from '#shared/people/words/sentences.ts';
import { describableExample, alertOf as exampleAlert } from '#test/support/example-alert.ts';

const TIME_ZONE = 'Pacific/Auckland';
const NAMES: Names = {
  ...NO_NAMES,
  employees: new Map([['1014_1', 'Ana Lee']]),
  departments: new Map([['202_1', 'Kitchen']]),
};
const EXAMPLE = exampleEvent('workforce.pay_period.due');
const { leftOver: [FIRST, SECOND, THIRD] = [] } = EXAMPLE.data.account;
const NONE = { people: 0, timesheets: 0, hours: 0 };
const department = (departmentId: string, timesheets: number, notReady: typeof NONE) => ({
  ...{ departmentId, people: 8, timesheets, hours: 250, ready: { ...NONE, timesheets }, notReady },
  unprocessed: timesheets,
});
/** Two timesheets of one employee wait, one of them without a clock-out, and one of another department. */
const ACCOUNT = {
  ...EXAMPLE.data.account,
  byDepartment: [
    department('201_1', 33, NONE),
    department('202_1', 38, { people: 1, timesheets: 2, hours: 16 }),
    department('204_1', 30, { people: 1, timesheets: 1, hours: 7.5 }),
  ],
  leftOver: [
    FIRST,
    {
      ...FIRST,
      ...{ timesheetId: SECOND?.timesheetId, date: SECOND?.date, hours: SECOND?.hours },
      missing: ['clock_out', 'approval'],
    },
    THIRD,
  ],
} as Account;

const UNREAD = {
  kind: 'dates_unread',
  dates: { from: '2026-11-09', to: '2026-11-10' },
  timesheets: null,
} as const;
const REOPENED = { state: 'reopened', since: '2026-11-16T00:02:00.000Z' } as const;

describe('a reminder', () => {
  test('says in one sentence what is open, and below it who, by department', () => {
    const alert = alertOf(event());
    expect(alert.heading).toBe('Approve 3 of 135 timesheets by 10:30 (in 2 h): Weekly 9-15 Nov');
    expect(alert.details?.map(({ text, isInner }) => `${isInner ? '  ' : ''}${text}`)).toEqual([
      'Kitchen: 2 of 38 not approved, 16 h',
      '  Ana Lee: Tue 10 Nov 8.5 h, Sat 14 Nov 7.5 h (no clock-out)',
      'Department 204_1: 1 of 30 not approved, 7.5 h',
      '  Employee 1008_1: Sun 15 Nov 7.5 h',
    ]);
    expect(alertSchema.parse(JSON.parse(JSON.stringify(alert)))).toEqual(alert);
  });

  test('below who has to approve says what is still open of closed periods', () => {
    const stillOpen = { payPeriods: 2, timesheets: 3, hours: 4.5, complete: true };
    expect(alertOf(event({ stillOpen })).details?.at(-1)?.text).toBe(
      'Closed Weekly periods: 3 timesheets, +4.5 h still open',
    );
    const unsure = { ...stillOpen, timesheets: 1, hours: -2, complete: false };
    expect(alertOf(event({ stillOpen: unsure })).details?.at(-1)?.text).toBe(
      'Closed Weekly periods: 1 timesheet, -2 h still open, as far as known',
    );
    const unknown = { ...stillOpen, timesheets: null, hours: null, complete: false };
    expect(alertOf(event({ stillOpen: unknown })).details?.at(-1)?.text).toBe(
      'Closed Weekly periods: what is still open is not known',
    );
  });

  test('while its period goes on says in its heading that the number is not the last', () => {
    expect(alertOf(event({}, { through: '2026-11-12' })).heading).toBe(
      'Approve 3 of 135 timesheets so far by 10:30 (in 2 h): Weekly 9-15 Nov',
    );
  });

  test('in Slack has a heading, and a link for each employee where records have an address', () => {
    const recordUrl = 'https://acme.example/{employeeId}/{timesheetId}';
    const { blocks } = buildSlackPayload(messageOf([alertOf(event(), recordUrl)]));
    expect(blocks.map(({ type }) => type)).toEqual(['header', 'rich_text', 'rich_text', 'context']);
    expect(blocks[0]).toMatchObject({
      text: { text: 'Approve 3 of 135 timesheets by 10:30 (in 2 h): Weekly 9-15 Nov' },
    });
    const [, ben] = blocks[2]?.type === 'rich_text' ? blocks[2].elements : [];
    expect(ben).toMatchObject({ type: 'rich_text_list', indent: 1 });
    expect(ben?.elements[0]).toEqual({
      type: 'rich_text_section',
      elements: [
        { type: 'text', text: 'Ana Lee', style: { bold: true } },
        { type: 'text', text: ': Tue 10 Nov 8.5 h, Sat 14 Nov 7.5 h (no clock-out)' },
        { type: 'text', text: '  ' },
        { type: 'link', url: 'https://acme.example/1014_1/101171_1', text: 'Open' },
      ],
    });
  });

  test('in Teams has the lines of a department below it', () => {
    const card = JSON.stringify(buildTeamsPayload(messageOf([alertOf(event())])));
    expect(card).toContain('"\u2003\u25e6 "},{"type":"TextRun","text":"Ana Lee","weight":"Bolder"}');
  });

  test('as a mail has a subject of at most 78 characters whatever the names', () => {
    const { subject } = buildMail(
      messageOf([
        alertOf(event({ calendar: 'A very long name of a calendar, which leaves no room beside it' })),
      ]),
      {
        channel: 'office',
        stackName: 'notifier',
      },
    );
    expect(subject).toBe('Approve 3 of 135 timesheets by 10:30 (in 2 h): A very long name of a...');
  });

  test('of 200 says the first of each department', () => {
    const waiting = Array.from({ length: 50 }, (_, index) => ({ ...FIRST, timesheetId: `${index}_1` }));
    const many = event({}, { notReady: { ...NONE, timesheets: 3 }, leftOver: waiting } as Partial<Account>);
    const texts = alertOf(many).details?.map(({ text }) => text) ?? [];
    expect(texts[0]).toBe(
      'Kitchen: 2 of 38 not approved, 16 h: Ana Lee Tue 10 Nov 8.5 h, Ana Lee Tue 10 Nov 8.5 h, Ana Lee Tue 10 Nov 8.5 h, Ana Lee Tue 10 Nov 8.5 h',
    );
    expect(texts.length).toBe(2);
  });

  test.each([
    ['late says how much is left', { time: '2026-11-16T19:40:00.000Z' }, {}, 'closes at 10:30 (in 2 h)'],
    ['of an hour', { time: '2026-11-16T20:55:00.000Z' }, {}, 'closes at 10:30 (in 35 min)'],
    [
      'of another day',
      {},
      { closesAt: '2026-11-18T23:00:00.000Z' },
      'closes on Thu 19 Nov at 12:00 (in 2 days)',
    ],
    [
      'after the deadline',
      {},
      { closesAt: '2026-11-16T18:00:00.000Z' },
      'was to close at 07:00 and is still open: 3 of 135',
    ],
    ['without a deadline', {}, { closesAt: null }, 'Weekly 9-15 Nov is open: 3 of 135'],
    [
      'of a period that was reopened',
      {},
      { ...REOPENED, closesAt: '2026-11-16T18:00:00.000Z' },
      'Weekly 9-15 Nov was reopened Mon 16 Nov 13:02: 3 of 135',
    ],
    [
      'while it goes on',
      {},
      { through: '2026-11-12' },
      '3 of 135 timesheets up to Thu 12 Nov are not approved',
    ],
    [
      'with dates that were never read',
      {},
      { notReady: NONE, reserves: [UNREAD] },
      'all 135 timesheets that could be counted are approved (dates of 9-10 Nov are not read)',
    ],
    ['of old figures', {}, { asOf: '2026-11-16T17:00:00.000Z' }, '(as of 06:00)'],
    [
      'with unknown members',
      {},
      { reserves: [{ kind: 'members_unknown', dates: null, timesheets: 2 }] },
      '23.5 h of 3 people (2 more timesheets may belong to it)',
    ],
  ] as const)('%s', (_, data, account, expected) => {
    const reminder = 'closesAt' in account ? { reminder: null } : {};
    expect(alertOf(event({ ...reminder, ...data }, account as Partial<Account>)).line).toContain(expected);
  });

  test('of a reopened period says what of it is still open', () => {
    const open = event({ reminder: null, summaries: ['08:00'] }, {
      ...REOPENED,
      ...{ notReady: NONE, leftOver: [], byDepartment: [], closesAt: null },
      changes: {
        ...{
          since: '2026-11-15T21:30:00.000Z',
          verdict: 'pay',
          readyHours: 1_009.5,
          timesheets: 1,
          hours: 1,
        },
        ...{ open: { timesheets: 1, hours: 1 }, complete: true, listed: [] },
      },
    } as Partial<Account>);
    const alert = alertOf(open);
    expect(alert.heading).toBe('Pay period Weekly 9-15 Nov was reopened Mon 16 Nov 13:02: +1 h still open');
    expect(alert.details?.map(({ text }) => text)).toEqual([
      'Still open since Mon 16 Nov 10:30: +1 h in 1 timesheet',
    ]);
    expect(alert.summary).toBeUndefined();
  });
});

describe('who hears of it', () => {
  const payroll: ChannelInterest = { name: 'payroll' };
  const daily: ChannelInterest = { name: 'daily', dailySummary: { at: '08:00' } };

  test('a reminder goes to whom it may concern', () => {
    expect(channelsFor(event(), [payroll, daily])).toEqual(['payroll', 'daily']);
  });

  test('a daily summary goes to the channels that want one at this time', () => {
    const summary = event({ reminder: null, summaries: ['08:00'] });
    expect(
      channelsFor(summary, [payroll, daily, { ...daily, name: 'noon', dailySummary: { at: '12:00' } }]),
    ).toEqual(['daily']);
    expect(channelsFor(summary, [{ ...daily, tells: ['troubles'] }])).toEqual(['daily']);
  });

  test('both at once are one alert', () => {
    expect(channelsFor(event({ summaries: ['08:00'] }), [daily])).toEqual(['daily']);
  });

  test.each([
    ['would hold it until the deadline', { from: '07:00', to: '10:30', weekends: false }, true],
    ['would hold it until just before the deadline', { from: '07:00', to: '10:15', weekends: false }, true],
    ['end long before the deadline', { from: '07:00', to: '09:00', weekends: false }, false],
    ['are over', { from: '20:00', to: '07:00', weekends: false }, false],
  ])('it is urgent where quiet hours %s', (_, quietHours, urgent) => {
    const channels = [{ ...payroll, quietHours }];
    const [match] = matchChannels(event(), { channels, timeZone: TIME_ZONE });
    expect(match?.urgent).toBe(urgent);
  });
});

describe('several in one message', () => {
  test('of one period are told by the latest alone', () => {
    const earlier = { ...alertOf(event()), id: 'earlier', at: 1 };
    const [composed] = composeMessages([earlier, alertOf(event())]);
    expect(composed?.message?.lines[0]).toBe('Kitchen: 2 of 38 not approved, 16 h');
    expect(composed?.alertIds.length).toBe(2);
  });

  test('are left out where the closing of the period is told with them', () => {
    const closed: Alert = {
      ...alertOf(event()),
      id: 'closed',
      type: 'workforce.pay_period.closed',
      line: 'It closed.',
      details: [],
    };
    expect(messageOf([alertOf(event()), closed])).toMatchObject({ title: 'It closed.', lines: [] });
  });

  test('of several periods come by deadline, the closest first, then by name', () => {
    const period = (calendar: string, deadline: string | null) => {
      const reminder = deadline === null ? { reminder: null } : {};
      const alert = alertOf(event({ calendar, ...reminder }, { closesAt: deadline }));
      return { ...alert, id: calendar, subject: calendar };
    };
    const { lines, inner } = messageOf([
      period('No deadline', null),
      period('Weekly', '2026-11-23T00:00:00.000Z'),
      period('Monthly', '2026-11-17T02:00:00.000Z'),
      period('Fortnightly', '2026-11-23T00:00:00.000Z'),
      period('Late', '2026-11-16T18:00:00.000Z'),
    ]);
    const names = lines.filter((_, place) => inner?.[place] !== true).map((line) => line.split(' 9-15 ')[0]);
    expect(names).toEqual(
      ['Late', 'Monthly', 'Fortnightly', 'Weekly', 'No deadline'].map((name) => `Pay period ${name}`),
    );
  });

  test('of several periods are headed by the closest deadline', () => {
    const other = {
      ...alertOf(event({ calendar: 'Monthly' }, { closesAt: '2026-11-20T00:00:00.000Z' })),
      id: 'm',
    };
    const message = messageOf([{ ...other, subject: 'm' }, alertOf(event())]);
    expect(message).toMatchObject({
      title: '2 pay periods with timesheets to approve',
      heading: 'Approve 3 of 135 timesheets by 10:30 (in 2 h): Weekly 9-15 Nov',
    });
    expect(buildMail(message, { channel: 'office', stackName: 'notifier' }).subject).toBe(message.heading);
  });

  test('of a daily summary end with what is still open of closed periods, within 60 words', () => {
    const stillOpen = { payPeriods: 1, timesheets: 3, hours: 6, complete: true };
    const summaries = ['A', 'B', 'C', 'D'].map((calendar) => {
      const moment = { reminder: null, summaries: ['08:00'] };
      const told = event(
        { ...moment, calendar, stillOpen: calendar === 'B' ? stillOpen : null },
        { closesAt: '2026-11-17T23:00:00.000Z' },
      );
      return { ...alertOf(told), id: calendar, subject: calendar };
    });
    const { heading = '', facts = '', lines, more } = messageOf(summaries);
    expect(lines.at(-1)).toBe('Closed B periods: 3 timesheets, +6 h still open');
    expect([heading, facts, ...lines].join(' ').split(/\s+/).length).toBeLessThanOrEqual(60);
    expect(lines.length - 1 + more).toBe(3);
  });

  test('of two periods have their departments with their people below them', () => {
    const other = { ...alertOf(event()), id: 'other', subject: '9020_1', line: 'Another period.' };
    expect(messageOf([alertOf(event()), other])).toMatchObject({
      title: '2 pay periods with timesheets to approve',
      lines: [
        expect.stringContaining('Pay period Weekly'),
        expect.stringMatching(/^Kitchen: 2 of 38 not approved, 16 h \(Ana Lee: Tue 10 Nov 8.5 h, /),
        'Department 204_1: 1 of 30 not approved, 7.5 h (Employee 1008_1: Sun 15 Nov 7.5 h)',
        'Another period.',
        expect.any(String),
        expect.any(String),
      ],
      inner: [false, true, true, false, true, true],
    });
  });
});

/** The example with other members; `time` is of the event, `calendar` of its period. */
function event(
  { time = EXAMPLE.time, calendar = 'Weekly', ...data }: Readonly<Record<string, unknown>> = {},
  account: Partial<Account> = {},
): DescribableEvent {
  return describableExample('pay_period.due', {
    time,
    data: { current: { calendar }, ...data, account: { ...ACCOUNT, ...account } },
  });
}

function alertOf(told: DescribableEvent, recordUrl?: string): Alert {
  return exampleAlert(told, { names: NAMES, recordUrl });
}

function messageOf(alerts: readonly Alert[]) {
  const message = composeMessages(alerts)[0]?.message;
  if (message == null) throw new Error('there is no message');
  return message;
}

function channelsFor(told: DescribableEvent, channels: readonly ChannelInterest[]): string[] {
  return matchChannels(told, { channels, timeZone: TIME_ZONE }).map(({ channel }) => channel);
}
