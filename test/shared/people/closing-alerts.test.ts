import { describe, expect, test } from 'vitest';
import type { ShortEventType } from '#shared/core/event-types.ts';
import type { Alert } from '#shared/people/alert.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { matchEvent } from '#shared/people/match-channels.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { describableExample, alertOf as exampleAlert } from '#test/support/example-alert.ts';

const NAMES = {
  ...NO_NAMES,
  employees: new Map([['1014_1', 'Ana Lee']]),
  departments: new Map([['202_1', 'Kitchen']]),
};
const NONE = { people: 0, timesheets: 0, hours: 0 };
const UNCHANGED = {
  ...{ since: '2026-11-16T21:30:00.080Z', verdict: 'pay', readyHours: 1_012, timesheets: 0, hours: 0 },
  ...{ open: { timesheets: 0, hours: 0 }, complete: true, listed: [] },
};

describe('below a closing stands whose timesheets are not approved', () => {
  test('by department and person', () => {
    expect(linesOf(alertOf('pay_period.closed'))).toEqual([
      'Kitchen: 1 of 38 not approved, 8.5 h',
      '  Ana Lee: Tue 10 Nov 8.5 h',
      'Department 204_1: 2 of 30 not approved, 15 h',
      '  Employee 1024_1: Sat 14 Nov 7.5 h',
      '  Employee 1008_1: Sun 15 Nov 7.5 h',
    ]);
  });
});

describe('a settled period', () => {
  test('says timesheet by timesheet what changed since it closed', () => {
    const alert = alertOf('pay_period.settled');
    expect(alert.heading).toBe('Pay 1,012 h for Weekly 9-15 Nov (30 people), +25 h since it closed');
    expect(linesOf(alert)).toEqual([
      'Since Tue 17 Nov 10:30, in these figures: +25 h in 3 timesheets',
      '  Ana Lee Tue 10 Nov: +9 h, approved',
      '  Employee 1024_1 Sat 14 Nov: +8 h, approved',
      '  Employee 1008_1 Sun 15 Nov: +8 h, approved',
    ]);
  });

  test('of which something is left over, says what', () => {
    const { heading, line } = alertOf('pay_period.settled', {
      settledBy: 'age',
      account: {
        verdict: 'not_yet',
        ready: { people: 29, timesheets: 132, hours: 990 },
        notReady: { people: 3, timesheets: 3, hours: 22 },
        ...{ unprocessed: 4, changes: null },
      },
    });
    expect(heading).toBe('Weekly 9-15 Nov is settled at 990 h: 3 not approved (22 h)');
    expect(line).toBe(
      'Pay period Weekly 9-15 Nov is settled, 35 days after it closed. Not yet: 3 not approved (22 h); 990 h ready (132 timesheets of 29 people); adds up with the workforce service; 4 not processed; what changed since it closed is not known.',
    );
  });

  test.each([
    ['when something changed since it closed', {}, ['payroll']],
    ['not when the closing said all of it', { changes: UNCHANGED }, []],
    [
      'when something stood against paying then',
      { changes: { ...UNCHANGED, verdict: 'not_yet' } },
      ['payroll'],
    ],
    ['when it is not known what was added', { changes: { ...UNCHANGED, complete: false } }, ['payroll']],
    ['when something is in doubt now', { verdict: 'not_yet', changes: UNCHANGED }, ['payroll']],
    ['when nothing is known of the closing', { changes: null }, ['payroll']],
  ])('is told %s', (_, account, told) => {
    const event = describableExample('pay_period.settled', { data: { account } });
    const channels = [{ name: 'payroll' }, { name: 'it', for: 'operations' as const }];
    expect(matchEvent(event, { channels, timeZone: 'UTC' }).map(({ channel }) => channel)).toEqual(told);
  });
});

test.each([
  ['pay_period.recounted', {}, 'Weekly 9-15 Nov counted again: pay 1,004 h now'],
  [
    'pay_period.recounted',
    { changes: { hours: 3, timesheets: 1 } },
    'Weekly 9-15 Nov counted again: pay 1,004 h now, +3 h since the last figures',
  ],
  [
    'pay_period.recounted',
    { verdict: 'not_yet', notReady: { people: 2, timesheets: 2, hours: 9 } },
    'Weekly 9-15 Nov counted again, not yet: 2 not approved (9 h)',
  ],
  ['pay_period.reopened', {}, 'Hold the pay file of Weekly 9-15 Nov: it was reopened'],
] as const)('%s with %j is headed: %s', (type, account, heading) => {
  expect(alertOf(type, { account }).heading).toBe(heading);
});

describe('what waited for the total of its period', () => {
  const waiting = (id: string, subject: string): Alert => ({
    ...exampleAlert(describableExample('timesheet.changed')),
    ...{ id, subject, line: `${subject} has 8 h to pay.`, waits: 'news', periods: ['9019_1'] },
  });
  const all = [waiting('a', '101171_1'), waiting('b', '7_1')];

  test('is not told again where that lists it, and otherwise as part of the total', () => {
    const message = composeMessages([...all, alertOf('pay_period.settled')])[0]?.message;
    expect(message?.lines.slice(-2)).toEqual(['In these figures already:', '7_1 has 8 h to pay.']);
    expect(message?.inner?.slice(-2)).toEqual([false, true]);
    expect(message?.lines.join()).not.toContain('101171_1');
  });

  test('leaves nothing below one that says all of it', () => {
    const settled = alertOf('pay_period.settled');
    const [composed] = composeMessages([...all.slice(0, 1), settled]);
    expect(composed?.message?.lines).toEqual(settled.details?.map(({ text }) => text));
    expect(composed?.alertIds).toEqual([settled.id, 'a']);
  });

  test('stands as it is below a reopening, which is no total', () => {
    const reopened = alertOf('pay_period.reopened', { account: { notReady: NONE } });
    expect(composeMessages([...all.slice(0, 1), reopened])[0]?.message?.lines).toEqual([
      '101171_1 has 8 h to pay.',
    ]);
  });
});

function alertOf(type: ShortEventType, data: object = {}): Alert {
  return exampleAlert(describableExample(type, { data }), { names: NAMES });
}

function linesOf({ details = [] }: Alert): string[] {
  return details.map(({ text, isInner }) => `${isInner ? '  ' : ''}${text}`);
}
