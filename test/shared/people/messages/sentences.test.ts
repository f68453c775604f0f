import { describe, expect, test } from 'vitest';
import { exampleEvent } from '#kit/testing/example-event.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { history } from '#test/shared/core/events/history.ts';
import { detail, payPeriod, timesheet } from '#test/support/builders.ts';
import {
  ALL_NAMES,
  APPROVED,
  clockedAt,
  closing,
  describeChange,
  describeChangeBriefly,
  NOT_YET,
  PROCESSED,
  say,
  withData,
} from './sample-sentences.ts';

describe('a changed timesheet', () => {
  test.each<[string, object, string]>([
    ['another day', { startTime: null, finishTime: null }, '~: start 09:00 -> none, finish 17:00 -> none.'],
    [
      'a finish after midnight',
      { finishTime: '2026-03-05T13:30:00.000Z' },
      '~: finish 17:00 -> Fri 6 Mar 02:30.',
    ],
    ['flags', { casualJob: true, overnight: true }, '~: casual job no -> yes, overnight no -> yes.'],
    ['a role that goes', { role: null }, '~: role 601_7 -> none.'],
    ['a department', { department: { id: '502_7' } }, '~: department 501_7 -> 502_7.'],
    ['hours in hundredths', { hoursToPay: 7.58 }, '~: hours 7.5 h -> 7.58 h.'],
    ['many hours', { hoursToPay: 12_345.6 }, '~: hours 7.5 h -> 12,345.6 h.'],
    ['breaks', { details: [detail({ restBreak: true })] }, '~: breaks changed.'],
    [
      'breaks and activities',
      { details: [detail({ mealBreak: false, activity: '302_7' })] },
      '~: breaks and activities changed.',
    ],
    ['an activity', { details: [detail({ activity: '302_7' })] }, '~: activities changed.'],
    [
      'another segment',
      { details: [detail(), detail({ id: '8002_7' })] },
      '~: breaks and activities changed.',
    ],
    ['another id', { details: [detail({ id: '8002_7' })] }, '~: breaks and activities changed.'],
  ])('says of %s what it was and what it is', (_, after, line) => {
    expect(describeChangeBriefly({}, after)).toEqual([line]);
  });

  test.each<[object, string]>([
    [{ details: [detail({ hours: 7 })] }, 'hours by activity changed'],
    [{ details: [detail({ hours: 8 })], hoursToPay: 8 }, 'hours 7.5 h -> 8 h'],
    [{ details: [detail({ startTime: null, hours: 7 })] }, 'times and hours by activity changed'],
  ])('with %j says of its hours and times: %s', (after, words) => {
    expect(describeChangeBriefly({}, after)).toEqual([`~: ${words}.`]);
  });

  test('that moved to another day is reported under the new one, with both', () => {
    const moved = history(timesheet(), timesheet({ date: '2026-03-06' }));
    expect(moved.map((event) => say(event))).toEqual([
      'Timesheet 1001_7 of employee 2001_7 on Fri 6 Mar: date Thu 5 Mar -> Fri 6 Mar.',
    ]);
  });

  test('names fields that were added later', () => {
    const [event] = history(timesheet(), timesheet({ hoursToPay: 8 }));
    if (event === undefined) throw new Error('nothing was published');
    const later = withData(event, { changed: ['hoursToPay', 'mood\n<b>', 'constructor', ''] });
    expect(say(later)).toContain(
      ': hours 7.5 h -> 8 h, mood <b> changed, constructor changed, a field changed.',
    );
  });

  test('does not make up what a value was that it does not know', () => {
    const [event] = history(timesheet(), timesheet({ hoursToPay: 8 }));
    if (event === undefined) throw new Error('nothing was published');
    expect(say(withData(event, { previous: {} }))).toContain(': hours changed.');
    expect(say(withData(event, { previous: { hoursToPay: '7.5' } }))).toContain(': hours changed.');
  });

  test('is reported as late with what stood before', () => {
    const late = (before: object) => describeChangeBriefly(before, { ...before, hoursToPay: 8 });
    expect(late(APPROVED)).toEqual(['~: hours 7.5 h -> 8 h, after approval.']);
    expect(late({ processed: PROCESSED.processed })).toEqual([
      '~: hours 7.5 h -> 8 h, after it was processed.',
    ]);
    expect(late(PROCESSED)).toEqual(['~: hours 7.5 h -> 8 h, after it was approved and processed.']);
  });

  test.each<[string[], string]>([
    [['close'], ', after its pay period closed.'],
    [['approval', 'close'], ', after it was approved and its pay period closed.'],
    [['approval', 'processing', 'close'], ', after it was approved and processed and its pay period closed.'],
    [['something later'], ' -> 8 h.'],
  ])('after %j ends so', (late, ending) => {
    const [event] = history(timesheet(), timesheet({ hoursToPay: 8 }));
    if (event === undefined) throw new Error('nothing was published');
    expect(say(withData(event, { late }))).toMatch(new RegExp(`${ending.replaceAll('.', '\\.')}$`));
  });
});

describe('what is new after a close', () => {
  test.each<[object, string]>([
    [APPROVED, '~ was approved at 13:30 with 7.5 h to pay, after its pay period closed.'],
    [
      { approvedPayroll: 'P-1' },
      '~ was approved for payroll between 14:00 and 14:01 (reference P-1), after its pay period closed.',
    ],
    [
      { clockIn: clockedAt('2026-03-05T09:00:00') },
      '~: clocked in at 09:00, recorded after its pay period closed.',
    ],
    [
      { clockOut: clockedAt('2026-03-05T17:00:00') },
      '~: clocked out at 17:00, recorded after its pay period closed.',
    ],
  ])('such as %j is reported as late', (after, line) => {
    const [event] = history(timesheet(), timesheet({ ...after }));
    if (event === undefined) throw new Error('nothing was published');
    const sentence = say(withData(event, { late: ['close'] }));
    expect(sentence.replace('Timesheet 1001_7 of employee 2001_7 on Thu 5 Mar', '~')).toBe(line);
  });

  test('such as a timesheet is reported as late', () => {
    const event = exampleEvent('workforce.timesheet.created');
    expect(say(withData(event, { late: ['close'] }))).toMatch(
      / was added: 09:00 - 17:00, 7\.5 h to pay, after its pay period closed\.$/,
    );
  });
});

describe('whose timesheet it is', () => {
  const before = {};
  const after = { employeeId: '2002_7', organisationWorkedId: '2_7' };

  test('uses names that may be shown, and ids where there are none', () => {
    expect(describeChange(before, after, ALL_NAMES)).toEqual([
      'Timesheet of Ben Fox (Kitchen) on Thu 5 Mar: employee Ana Lee -> Ben Fox, organisation 1_7 -> 2_7.',
    ]);
  });

  test.each<[string, Parameters<typeof describeChange>[2], string]>([
    [
      'only departments',
      { ...NO_NAMES, departments: ALL_NAMES.departments },
      '1001_7 of employee 2002_7 (Kitchen)',
    ],
    ['only employees', { ...NO_NAMES, employees: ALL_NAMES.employees }, 'of Ben Fox'],
    [
      'others than these',
      { ...NO_NAMES, employees: new Map([['1', 'No']]), departments: new Map([['1', 'No']]) },
      '1001_7 of employee 2002_7 (department 501_7)',
    ],
  ])('with %s is reported by %#', (_, names, whose) => {
    expect(describeChange(before, after, names)[0]).toContain(`Timesheet ${whose} on Thu 5 Mar: `);
  });

  test('does not say that one became the other when both are called alike', () => {
    const employees = new Map([
      ['2001_7', 'Ana Lee'],
      ['2002_7', 'Ana Lee'],
    ]);
    expect(describeChange({}, { employeeId: '2002_7' }, { ...NO_NAMES, employees })).toEqual([
      'Timesheet of Ana Lee on Thu 5 Mar: employee changed.',
    ]);
  });
});

describe('stamps', () => {
  test('on the day of the timesheet and of the poll have their time only', () => {
    expect(describeChangeBriefly({}, APPROVED)).toEqual(['~ was approved at 13:30 with 7.5 h to pay.']);
    expect(describeChangeBriefly(PROCESSED, APPROVED)).toEqual([
      '~ is no longer processed (7.5 h to pay): the processing of 13:40 was reverted between 14:00 and 14:01.',
    ]);
  });

  test('over others have both', () => {
    expect(describeChangeBriefly(APPROVED, { approvedHours: '2026-03-05T00:45:00.000Z' })).toEqual([
      '~ was approved again (before: 13:30) at 13:45 with 7.5 h to pay.',
    ]);
    expect(describeChangeBriefly({ approvedPayroll: '2026-03-01' }, { approvedPayroll: 'PAY-2' })).toEqual([
      '~ was approved for payroll again (before: 2026-03-01) between 14:00 and 14:01 (reference PAY-2).',
    ]);
  });

  test('without a time are reported between the two polls', () => {
    expect(describeChangeBriefly({}, { approvedHours: 'yes' })).toEqual([
      '~ was approved between 14:00 and 14:01 with 7.5 h to pay.',
    ]);
  });

  test('of another year have it', () => {
    expect(describeChangeBriefly({}, { approvedHours: '2025-12-31T20:00:00.000Z' })).toEqual([
      '~ was approved on Thu 1 Jan at 09:00 with 7.5 h to pay.',
    ]);
    expect(describeChangeBriefly({}, { approvedHours: '2025-12-30T20:00:00.000Z' })).toEqual([
      '~ was approved on Wed 31 Dec 2025 at 09:00 with 7.5 h to pay.',
    ]);
  });

  test('that no poll saw before are reported as before the first poll', () => {
    const [event] = history(timesheet(), timesheet({ approvedPayroll: 'PAY' }));
    if (event === undefined) throw new Error('nothing was published');
    const first = withData(event, { observed: { after: null, by: '2026-03-05T01:01:00.000Z' } });
    expect(say(first)).toContain(' was approved for payroll before 14:01 (');
    const sameMinute = { after: '2026-03-05T01:01:01.000Z', by: '2026-03-05T01:01:40.000Z' };
    expect(say(withData(event, { observed: sameMinute }))).toContain(' for payroll at 14:01 (');
    const overnight = { after: '2026-03-04T01:01:01.000Z', by: '2026-03-05T01:01:40.000Z' };
    expect(say(withData(event, { observed: overnight }))).toContain(
      ' for payroll between Wed 4 Mar 14:01 and Thu 5 Mar 14:01 (',
    );
  });
});

describe('clockings', () => {
  const EIGHT = '2026-03-05T08:05:00';

  test.each<[string, [before: object, after: object], string]>([
    ['in', [{}, { clockIn: clockedAt(EIGHT) }], '~: clocked in at 08:05.'],
    ['in in another zone', [{}, { clockIn: clockedAt(`${EIGHT}+13:00`) }], '~: clocked in at 08:05.'],
    ['out', [{}, { clockOut: clockedAt(EIGHT) }], '~: clocked out at 08:05.'],
    [
      'out on the next day',
      [{}, { clockOut: clockedAt('2026-03-06T01:10:00') }],
      '~: clocked out on Fri 6 Mar at 01:10.',
    ],
    [
      'in without a time',
      [{}, { clockIn: clockedAt(null) }],
      '~: clocked in between 14:00 and 14:01, no time recorded.',
    ],
    [
      'corrected',
      [{ clockIn: clockedAt(EIGHT) }, { clockIn: clockedAt('2026-03-05T08:00:00') }],
      '~: clock-in 08:05 -> 08:00.',
    ],
    [
      'corrected from no time',
      [{ clockOut: clockedAt(null) }, { clockOut: clockedAt(EIGHT) }],
      '~: clock-out without time -> 08:05.',
    ],
    [
      'corrected in what is no time',
      [{ clockIn: clockedAt(EIGHT) }, { clockIn: { ...clockedAt(EIGHT), kiosk: false } }],
      '~: details of the clock-in at 08:05 changed.',
    ],
    [
      'taken back',
      [
        { clockIn: clockedAt(EIGHT), ...PROCESSED },
        { clockIn: null, ...PROCESSED },
      ],
      '~: the clock-in at 08:05 was removed between 14:00 and 14:01, after it was approved and processed.',
    ],
  ])('%s', (_, [before, after], line) => {
    expect(describeChangeBriefly(before, after)).toEqual([line]);
  });
});

describe('a closed pay period', () => {
  const START = 'Pay period Weekly 2-8 Mar closed';
  const PAY = 'Pay 1,204.25 h now (154 timesheets of 31 people)';

  test.each<[string, Parameters<typeof closing>[0], string]>([
    ['of which all is ready', {}, `. ${PAY}.`],
    [
      'of which something is not',
      NOT_YET,
      '. Not yet: 12 not approved (90 h); 1,114.25 h ready (142 timesheets of 30 people).',
    ],
    [
      'of one',
      { timesheets: 1, ready: { people: 1, timesheets: 1, hours: 8 } },
      '. Pay 8 h now (1 timesheet of 1 person).',
    ],
    [
      'of none',
      { timesheets: 0, ready: { people: 0, timesheets: 0, hours: 0 } },
      '. Nothing to pay; it has no timesheets.',
    ],
    ['that was not counted', null, '; its hours could not be counted.'],
    [
      'that adds up',
      { difference: { timesheets: 0, employees: 0, hours: 0 } },
      `. ${PAY}; adds up with the workforce service.`,
    ],
  ])('%s', (_, account, ending) => {
    expect(say(closing(account))).toBe(`${START}${ending}`);
  });

  test.each<[object, string]>([
    [{ closed: '2026-03-04' }, `${START} on Wed 4 Mar. ${PAY}.`],
    [{ calendar: '' }, `Pay period 2-8 Mar closed. ${PAY}.`],
    [{ startDate: '2026-02-23' }, `Pay period Weekly 23 Feb - 8 Mar closed. ${PAY}.`],
    [{ startDate: '2025-12-29' }, `Pay period Weekly 29 Dec 2025 - 8 Mar 2026 closed. ${PAY}.`],
    [{ startDate: '2025-03-02', finishDate: '2025-03-08' }, `Pay period Weekly 2-8 Mar 2025 closed. ${PAY}.`],
    [{ finishDate: '2026-03-02' }, `Pay period Weekly 2 Mar closed. ${PAY}.`],
  ])('with %j is named so', (values, line) => {
    const event = closing({});
    const { data } = event as { data: { current: object; occurredAt: string } };
    const current = { ...data.current, ...values };
    const occurredAt = 'closed' in values ? values.closed : data.occurredAt;
    expect(say({ ...event, data: { ...data, current, occurredAt } })).toBe(line);
  });

  test('says when it was before', () => {
    const [event] = history(payPeriod({ closed: '2026-03-04' }), payPeriod({ closed: '2026-03-05' }));
    expect(say(event ?? {})).toBe(
      'Pay period Weekly 2-8 Mar closed again (before that on Wed 4 Mar); its hours could not be counted.',
    );
  });

  test('says what changed after it closed', () => {
    const closed = { closed: '2026-03-04' };
    const [event] = history(payPeriod(closed), payPeriod({ ...closed, finishDate: '2026-03-09' }));
    expect(say(event ?? {})).toBe(
      'Pay period Weekly 2-9 Mar: last day Sun 8 Mar -> Mon 9 Mar, after it closed.',
    );
  });
});
