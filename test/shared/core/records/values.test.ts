import { describe, expect, test } from 'vitest';
import {
  checkRow,
  type FeedDefinition,
  feedDefinition,
  parseRow,
  readRecordText,
  toState,
} from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { readTotals } from '#shared/core/records/pay-period.ts';
import { openDoor, roundNumber } from '#shared/core/records/values.ts';
import { clocking, detail, NOW, timesheet } from '#test/support/builders.ts';

test.each([
  ...['2026-03-05T08:00:00.000Z', '2026-03-05T08:00', '2026-03-05T08:00:00+13:00', '2026-03-05'].map(isGood),
  ...['yes', '1', '\u0000', '\ud800', '???', '2026-13-45', '2026-03-05T99:00', 'T08:00', '20001-01-01'].map(
    isBad,
  ),
])('a stamp of %j says when something happened, or its record is unreadable: %s', (stamp, outcome) => {
  for (const field of ['approvedHours', 'processed']) {
    const checked = check({ [field]: stamp });
    expect(checked).toEqual(outcome === 'good' ? { outcome } : { outcome, issues: [field] });
  }
  expect(checkPeriod({ closed: stamp }).outcome).toBe(outcome);
});

test.each([
  ...['P-1', 'batch 4711', '山', '01', '1002-05', 'Nona', 'x'.repeat(1_000)].map(isGood),
  ...['\u0000', '\ud800', '???'].map(isBad),
])('%j is a reference, or none: %s', (reference, outcome) => {
  const checked = check({ approvedPayroll: reference });
  expect(checked).toEqual(outcome === 'good' ? { outcome } : { outcome, issues: ['approvedPayroll'] });
});

test.each(['\u0000', '???'])('%j is no id of a department, nor of an activity', (id) => {
  expect(check({ department: { id } })).toEqual({ outcome: 'bad', issues: ['departmentId'] });
  expect(check({ details: [detail({ activity: id })] })).toEqual({
    ...{ outcome: 'bad', issues: ['details.0.activity'] },
  });
});

test('a reference that is too long is cut with a mark, and its timesheet stays readable', () => {
  for (const [note, kept] of [
    ['x'.repeat(1_001), `${'x'.repeat(999)}…`],
    [`ab${'😀'.repeat(10_000)}`, `ab${'😀'.repeat(498)}…`],
  ]) {
    expect(check({ approvedPayroll: note })).toEqual({ outcome: 'good' });
    expect(stateOf({ approvedPayroll: note })).toMatchObject({ approvedPayroll: kept });
  }
});

test('so is the name of a pay calendar, or of a provider', () => {
  const long = { calendar: 'c'.repeat(5_000), payRollProvider: 'p'.repeat(5_000) };
  expect(checkPeriod(long)).toEqual({ outcome: 'good' });
  expect(toState(PERIODS, readRow(PERIODS, { ...PERIOD, ...long }))).toMatchObject({
    calendar: `${'c'.repeat(199)}…`,
    payRollProvider: `${'p'.repeat(199)}…`,
  });
});

describe('what other systems write for nothing', () => {
  const DATES = [
    ...['0001-01-01T00:00:00', '0001-01-01', '0001-01-01T00:00:00.0000000Z', '1/1/0001 12:00:00 AM'],
    ...['1753-01-01T00:00:00', '1899-12-30T00:00:00', '1900-01-01', '1900-01-01 00:00:00.000'],
    ...['1970-01-01T00:00:00Z', '1970-01-01T01:00:00+01:00', '1999-12-31', '01.01.1900'],
    ...['-0001-11-30T00:00:00+00:00', '0000-00-00', '0000-00-00 00:00:00', '9999-12-31', '31/12/9999'],
    ...['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.9999999', '+010000-01-01T00:00:00Z'],
  ];
  const WORDS = [
    ...['', ' ', '0', '000', '0_0', '-', '--', '—', 'N/A', 'n/a', 'none', 'None', 'null', ' NULL ', '(null)'],
    ...['undefined', 'nil', 'NaN', 'false', '{00000000-0000-0000-0000-000000000000}'],
    ...['00000000-0000-0000-0000-000000000000', '00000000000000000000000000000000'],
  ];

  const read = (definition: FeedDefinition, record: SourceRecord) =>
    toState(definition, readRow(definition, record));

  test.each([...DATES, ...WORDS])('%j is no approval, no processing and no closing', (value) => {
    const nothing = { approvedHours: value, processed: value, approvedPayroll: null };
    expect(stateOf(nothing)).toMatchObject({ approvedHours: null, processed: null });
    expect(check(nothing)).toEqual({ outcome: 'good' });
    expect(read(PERIODS, { ...PERIOD, closed: value })).toMatchObject({ closed: null });
  });

  test.each(DATES)('%j is no planned time', (value) => {
    expect(stateOf({ startTime: value, finishTime: value })).toMatchObject({
      ...{ startTime: null, finishTime: null },
    });
  });

  test.each(WORDS)('%j is no reference, and no id or name of what a record refers to', (value) => {
    const refers = { department: { id: value, name: 'x' }, role: { id: value }, shift: { id: value } };
    const values = {
      ...{ ...refers, organisationWorkedId: value, organisationPayRollId: value, contractedHoursId: value },
      ...{ approvedPayroll: value },
      details: [detail({ activity: value, alternateDepartment: value, alternateOrganisation: value })],
    };
    expect(stateOf(values)).toMatchObject({
      ...{ departmentId: null, roleId: null, shiftId: null, approvedPayroll: null },
      ...{ organisationWorkedId: null, organisationPayRollId: null },
      details: [{ activity: null, alternateDepartment: null, alternateOrganisation: null }],
    });
    expect(check(values)).toEqual({ outcome: 'good' });
    const contractedHours = [{ department: { id: value } }, { department: { id: '501_7' } }];
    expect(read(feedDefinition('employees'), { contractedHours })).toMatchObject({
      departmentIds: ['501_7'],
    });
    expect(read(feedDefinition('departments'), { name: 'Bar', manager: value })).toMatchObject({
      ...{ managerId: null, managerName: null },
    });
    const named = { calendar: value, payRollCompanyId: value, payRollProvider: value };
    expect(read(PERIODS, { ...PERIOD, ...named })).toMatchObject({
      ...{ calendar: '', payRollCompanyId: null, payRollProvider: null },
    });
    expect(checkPeriod(named)).toEqual({ outcome: 'good' });
    // Who it is of has to be known.
    expect(check({ employeeId: value })).toEqual({ outcome: 'bad', issues: ['employeeId'] });
  });

  test.each(['0001-01-01T00:00:00', '9999-12-31', '1900-01-01'])('%j is no reference', (value) => {
    expect(stateOf({ approvedPayroll: value })).toMatchObject({ approvedPayroll: null });
  });

  test('a plan may lie ahead', () => {
    expect(stateOf({ startTime: '2031-01-01T09:00:00Z' })).toMatchObject({
      startTime: '2031-01-01T09:00:00.000Z',
    });
  });

  test.each(['0_1', '10', '100_7', 'N', 'nullable', 'Nina', 'a0000000-0000-0000-0000-000000000000'])(
    'the id %j is one',
    (value) => {
      expect(stateOf({ employeeId: value, department: { id: value } })).toMatchObject({
        ...{ employeeId: value, departmentId: value },
      });
      expect(check({ employeeId: value, approvedPayroll: value })).toEqual({ outcome: 'good' });
    },
  );

  test.each([
    ['of zeros', { id: '0', localTime: '0001-01-01T00:00:00', variance: 0, kiosk: false, beacon: false }],
    ['of nulls', { id: null, localTime: null, variance: null, kiosk: null, beacon: null }],
    ['of empty texts', { id: '', localTime: '', variance: 0, kiosk: false, beacon: false }],
    [
      'with the minutes from a plan to no time',
      { id: '0', localTime: '0001-01-01', variance: -1_065_000_000, kiosk: false, beacon: false },
    ],
  ])('a clock record %s is no clocking', (_, clock) => {
    expect(stateOf({ clockIn: clock, clockOut: clock })).toMatchObject({ clockIn: null, clockOut: null });
    expect(check({ clockIn: clock, clockOut: clock })).toEqual({ outcome: 'good' });
  });

  test.each([
    ['with an id', { id: '7001_7', localTime: '0001-01-01T00:00:00' }, { id: '7001_7', localTime: null }],
    [
      'with a time',
      { id: '0', localTime: '2026-03-05T09:00:00' },
      { id: '0', localTime: '2026-03-05T09:00:00.000' },
    ],
  ])('one %s is', (_, values, read) => {
    const clockIn = clocking(values);
    expect(stateOf({ clockIn })).toMatchObject({ clockIn: read });
    expect(check({ clockIn })).toEqual({ outcome: 'good' });
  });

  test('half a clock record does not look like one of nothing', () => {
    const { kiosk: _, ...half } = clocking({ id: '0', localTime: null, beacon: false });
    expect(check({ clockIn: half })).toEqual({ outcome: 'bad', issues: ['clockIn.kiosk'] });
  });

  test('a date of nothing is of no timesheet', () => {
    for (const date of ['0001-01-01', '1900-01-01', '9999-12-31'])
      expect(TIMESHEETS.sliceOf(timesheet({ date }))).toBeNull();
  });
});

describe('a fact', () => {
  const at = Date.parse('2026-03-05T10:00:00Z');
  const read = (definition: FeedDefinition, values: SourceRecord, now = at) =>
    toState(definition, readRow(definition, values, now));

  test.each(['2026-03-07', '2026-03-07T23:59:59+14:00', '2026-03-05T10:00:01'])(
    'may be dated %s: by the clock of any zone, while ours is a day late',
    (stamp) => {
      const { approvedHours, processed } = read(
        TIMESHEETS,
        timesheet({ approvedHours: stamp, processed: stamp }),
      );
      const { closed } = read(PERIODS, { ...PERIOD, closed: stamp });
      expect(new Set([approvedHours, processed, closed])).toEqual(new Set([canonical(stamp)]));
    },
  );

  test.each(['2026-03-08', '2026-03-08T00:00:00Z', '2027-01-01T00:00:00', '2999-12-31'])(
    'that is dated %s has not happened, until two days before',
    (stamp) => {
      const record = timesheet({
        ...{ approvedHours: stamp, processed: stamp },
        ...{ clockIn: clocking({ localTime: stamp }), startTime: '2026-04-01T00:00:00' },
      });
      expect(read(TIMESHEETS, record)).toMatchObject({
        ...{ approvedHours: null, processed: null, startTime: '2026-04-01T00:00:00.000Z' },
        clockIn: { localTime: null },
      });
      expect(read(PERIODS, { ...PERIOD, closed: stamp })).toMatchObject({ closed: null });
      const from = Date.parse(stamp.slice(0, 10)) - 2 * 86_400_000;
      expect(read(TIMESHEETS, record, from - 1)).toMatchObject({ processed: null });
      expect(read(TIMESHEETS, record, from)).toMatchObject({ processed: canonical(stamp) });
    },
  );

  test('that is dated ahead of a day that is none makes its record unreadable', () => {
    const row = readRow(TIMESHEETS, timesheet({ processed: '2030-02-30' }));
    expect(checkRow(TIMESHEETS, row)).toEqual({ outcome: 'bad', issues: ['processed'] });
  });
});

describe('a number', () => {
  test.each([
    [7.6000000000000005, 7.6],
    [7.599999999999999, 7.6],
    [7.66665, 7.6667],
    [7.666649999999999, 7.6667],
    [-7.666649999999999, -7.6666],
    [-7.66665, -7.6666],
    [-0, 0],
    [-0.00001, 0],
    [7.12344, 7.1234],
    [9_999.9999, 9_999.9999],
    [10_000, 10_000],
  ])('%d is read as %d', (value, expected) => {
    const record = {
      hoursToPay: value,
      details: [detail({ hours: value })],
      clockIn: clocking({ variance: value }),
    };
    expect(stateOf(record)).toMatchObject({
      ...{ hoursToPay: expected, details: [{ hours: expected }], clockIn: { variance: expected } },
    });
    expect(check(record)).toEqual({ outcome: 'good' });
    const totals = { hours: value, numberEmployees: 1, numberTimesheets: 1 };
    expect(readTotals({ ...PERIOD, ...totals })?.hours).toBe(expected);
  });

  test.each([10_000.0001, -10_001, 1e300, -1.8e304, 1.7e308, Number('1e999')])(
    'of %d hours on a timesheet makes its record unreadable',
    (value) => {
      expect(check({ hoursToPay: value })).toEqual({ outcome: 'bad', issues: ['hoursToPay'] });
      expect(check({ details: [detail({ hours: value })] })).toMatchObject({ issues: ['details.0.hours'] });
      const minutes = { clockOut: clocking({ variance: value * 60 }) };
      expect(check(minutes)).toEqual({ outcome: 'bad', issues: ['clockOut.variance'] });
    },
  );

  test.each(['hours', 'numberEmployees', 'numberTimesheets'])('of a pay period has bounds: %s', (total) => {
    for (const value of [1e9, -1e9, 0, null, 'x'])
      expect(PERIODS.findIssue?.({ ...PERIOD, [total]: value })).toBeNull();
    for (const value of [1_000_000_000.1, -1e10, 1.7e308, Number('1e999')])
      expect(PERIODS.findIssue?.({ ...PERIOD, [total]: value })).toBe(total);
  });

  test('loses the noise of sums, and is never minus zero', () => {
    expect(roundNumber(0.1 + 0.2)).toBe(0.3);
    expect(Object.is(roundNumber(-0.00001), 0)).toBe(true);
  });
});

const TIMESHEETS = feedDefinition('timesheets');
const PERIODS = feedDefinition('pay-periods');
const PERIOD = {
  calendar: 'weekly',
  startDate: '2026-03-02',
  finishDate: '2026-03-08',
  closed: null,
  payRollCompanyId: '',
  payRollProvider: '',
};

function isGood(text: string) {
  return [text, 'good'] as const;
}

function isBad(text: string) {
  return [text, 'bad'] as const;
}

function stateOf(values: Record<string, unknown>) {
  return toState(TIMESHEETS, readRow(TIMESHEETS, timesheet(values)));
}

function check(values: Record<string, unknown>) {
  return checkRow(TIMESHEETS, readRow(TIMESHEETS, timesheet(values)));
}

function checkPeriod(values: Record<string, unknown>) {
  return checkRow(PERIODS, readRow(PERIODS, { ...PERIOD, ...values }));
}

function readRow(definition: FeedDefinition, record: SourceRecord, at = NOW) {
  return parseRow(readRecordText(definition, record, openDoor('UTC', at)));
}

/** A date stays one; an instant is written in UTC. */
function canonical(stamp: string): string {
  if (stamp.length === 10) return stamp;
  return new Date(/[Z+]/.test(stamp) ? stamp : `${stamp}Z`).toISOString();
}
