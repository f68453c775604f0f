import { expect, test } from 'vitest';
import type { ShortEventType } from '#shared/core/event-types.ts';
import { toEventType } from '#shared/core/event-types.ts';
import { alignDescription, describeEvent, parseEventType } from '#shared/terminal/describe-event.ts';
import { formatEventLine } from '#shared/terminal/event-line.ts';
import { exampleEvent } from '#test/support/example-event.ts';

const APPROVED = {
  type: 'workforce.timesheet.approved',
  subject: '101550_1',
  time: '2026-11-16T09:02:00.412Z',
  data: {
    employeeId: '1030_1',
    current: { date: '2026-11-16', approvedHours: '2026-11-16T09:01:37.000Z' },
    previous: { approvedHours: null },
    changed: ['approvedHours'],
    occurredAt: '2026-11-16T09:01:37.000Z',
    late: [],
    collapsed: false,
  },
};

test('a change says when, who, and what it was before and after, in the zone', () => {
  expect(describe(APPROVED, 'Pacific/Auckland')).toEqual({
    when: '2026-11-16 22:02:00',
    type: 'timesheet.approved',
    who: '101550_1',
    what: 'approvedHours – → 22:01:37',
    context: 'employee 1030_1, 2026-11-16',
  });
});

test('a time on another date is shown with its date', () => {
  const data = { ...APPROVED.data, previous: { approvedHours: '2026-11-15T17:00:00Z' } };
  expect(describe({ ...APPROVED, data }).what).toBe('approvedHours 2026-11-15 17:00:00 → 09:01:37');
});

test('a clock record without a time says so', () => {
  const current = { date: '2026-11-16', clockIn: { id: 'c', localTime: null, variance: 6 } };
  const data = { ...APPROVED.data, current, previous: { clockIn: null }, changed: ['clockIn'] };
  expect(describe({ ...APPROVED, data }).what).toBe('clockIn – → without time');
});

test('a late change of several values says so', () => {
  const data = {
    ...APPROVED.data,
    current: {
      date: '2026-11-16',
      hoursToPay: 8,
      details: [{}, {}],
      shifts: [1],
      clockIn: { id: 'c', localTime: '2026-11-16T08:58:00' },
    },
    previous: { hoursToPay: 7.5, details: [{}], shifts: [2], clockIn: null },
    changed: ['hoursToPay', 'details', 'shifts', 'clockIn'],
    late: ['approval', 'close'],
    collapsed: true,
  };
  expect(describe({ ...APPROVED, data }).what).toBe(
    'hoursToPay 7.5 → 8, details 1 entry → 2 entries, shifts altered, clockIn – → 08:58:00  [late: after approval, close]  [one of several steps]',
  );
});

test('a new record says what it is', () => {
  const current = { date: '2026-11-16', startTime: '2026-11-16T09:00:00', finishTime: null, hoursToPay: 7.5 };
  const event = {
    ...APPROVED,
    type: 'workforce.timesheet.created',
    data: { ...APPROVED.data, current, previous: null, changed: ['date'], occurredAt: null },
  };
  expect(describe(event).what).toBe('startTime 09:00:00, hoursToPay 7.5');
});

test('a pay period is known by its dates', () => {
  const event = {
    ...APPROVED,
    type: 'workforce.pay_period.closed',
    subject: '12_4711',
    data: {
      payPeriodId: '12_4711',
      current: { startDate: '2026-11-02', finishDate: '2026-11-15', closed: '2026-11-17' },
      previous: { closed: null },
      changed: ['closed'],
      occurredAt: '2026-11-17',
    },
  };
  expect(describe(event)).toEqual({
    when: '2026-11-16 09:02:00',
    type: 'pay_period.closed',
    who: '12_4711',
    what: 'closed – → 2026-11-17',
    context: '2026-11-02 to 2026-11-15',
  });
});

test('an operational event shows its feed and figures', () => {
  const event = {
    type: 'workforce.baseline.completed',
    source: '/connections/main/timesheets',
    time: '2026-11-16T09:02:00.000Z',
    data: { feed: 'timesheets', records: 420, completedAt: '2026-11-16T09:02:00.000Z' },
  };
  expect(describe(event)).toMatchObject({
    who: 'timesheets',
    what: 'records 420, completedAt 09:02:00',
  });
});

test('columns are aligned', () => {
  const { when, type, who } = alignDescription(describe(APPROVED));
  expect([when.length, type.length, who.length]).toEqual([19, 34, 12]);
});

test('control characters are escaped, and long values are cut', () => {
  const data = {
    ...APPROVED.data,
    current: { shiftId: `\u001b[2J${'x'.repeat(100)}` },
    previous: { shiftId: 'a\nb' },
    changed: ['shiftId'],
  };
  const { what } = describe({ ...APPROVED, data });
  expect(what).not.toMatch(/\p{Cc}/u);
  expect(what).toBe(`shiftId a\\u000ab → \\u001b[2J${'x'.repeat(51)}…`);
});

test('control characters of ids, types and names of fields are escaped', () => {
  const hostile = '\u001b[2J\u009b\u202e\n';
  const data = {
    ...APPROVED.data,
    employeeId: hostile,
    changed: [hostile],
    late: [hostile],
  };
  const event = { ...APPROVED, type: `workforce.${hostile}`, subject: hostile, data };
  const line = formatEventLine(JSON.stringify(event), 'UTC');
  expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(line.split('\\u001b[2J\\u009b\\u202e\\u000a')).toHaveLength(6);
  expect(parseEventType(JSON.stringify(event))).toBe('\\u001b[2J\\u009b\\u202e\\u000a');
  expect(formatEventLine('\u001b[2J', 'UTC')).toBe('\\u001b[2J');
});

test('other text is not described', () => {
  expect([
    parseEventType('no json'),
    parseEventType('{"a":1}'),
    parseEventType(JSON.stringify(APPROVED)),
  ]).toEqual([null, null, 'timesheet.approved']);
});

function describe(event: unknown, timeZone = 'UTC') {
  const description = describeEvent(JSON.stringify(event), timeZone);
  if (description === null) throw new Error('no description');
  return description;
}

test('a missing clocking is told in words', () => {
  const whatOf = (type: ShortEventType) => describe(exampleEvent(toEventType(type)), 'Pacific/Auckland').what;
  expect(whatOf('timesheet.clock_in_missing')).toBe('no clock-in, planned 09:00');
});
