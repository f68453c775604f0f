import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FeedDefinition,
  feedDefinition,
  isSettled,
  parseRow,
  toState,
} from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { holds } from '#test/shared/core/properties.ts';
import { clocking, detail, payPeriod, textOf, timesheet } from '#test/support/builders.ts';

const timesheets = feedDefinition('timesheets');
const payPeriods = feedDefinition('pay-periods');
const STAMP = '2026-03-05T18:00:00.000Z';

describe('of a timesheet', () => {
  test('exactly the listed fields are watched, in stored order', () => {
    const names =
      'date employeeId departmentId roleId shiftId organisationWorkedId organisationPayRollId startTime finishTime ' +
      'hoursToPay casualJob includesLeave overnight clockIn clockOut approvedHours approvedPayroll processed details';
    expect(timesheets.fields.map(({ name }) => name).join(' ')).toBe(names);
  });

  test('all that is watched comes through with its name', () => {
    const record = timesheet({
      clockIn: clocking(),
      shift: { id: '701_7', name: 'Early' },
      processed: 'yes',
    });
    expect(toState(timesheets, readRow(timesheets, record))).toEqual({
      date: '2026-03-05',
      employeeId: '2001_7',
      departmentId: '501_7',
      roleId: '601_7',
      shiftId: '701_7',
      organisationWorkedId: '1_7',
      organisationPayRollId: '1_7',
      startTime: '2026-03-04T20:00:00.000Z',
      finishTime: '2026-03-05T04:00:00.000Z',
      hoursToPay: 7.5,
      casualJob: false,
      includesLeave: false,
      overnight: false,
      clockIn: {
        id: '7001_7',
        localTime: '2026-03-05T09:01:30.000',
        variance: 1.5,
        kiosk: true,
        beacon: false,
      },
      clockOut: null,
      approvedHours: null,
      approvedPayroll: null,
      processed: 'yes',
      details: [
        {
          id: '8001_7',
          activity: '301_7',
          alternateDepartment: null,
          alternateOrganisation: null,
          startTime: '2026-03-04T20:00:00.000Z',
          finishTime: '2026-03-05T04:00:00.000Z',
          hours: 7.5,
          mealBreak: true,
          restBreak: false,
        },
      ],
    });
  });

  const base = { clockIn: clocking(), clockOut: clocking(), shift: { id: '701_7', name: 'Early' } };

  test.each<[string, SourceRecord]>([
    ['the hourly rate', { hourlyRate: '$99.00' }],
    ['the internal type', { __type: 'another' }],
    ['the contracted hours it came from', { contractedHoursId: '' }],
    ['a field nobody knows', { inventedLater: { deep: ['x'] } }],
    ['the name of its department', { department: { id: '501_7', name: 'Kitchen & Bar' } }],
    ['the name of its role', { role: { id: '601_7', name: 'Chef' } }],
    ['the name of its shift', { shift: { id: '701_7', name: 'Morning' } }],
    ['who overrode a clock-in', { clockIn: clocking({ overrideEmployee: 'Mere Tane' }) }],
    ['the organisation of an override', { clockOut: clocking({ overrideOrganisation: '9_7' }) }],
    ['an unknown member of a clock-in', { clockIn: clocking({ photo: 'x' }) }],
    ['an unknown member of a detail', { details: [detail({ rate: '$31.50' })] }],
    ['a key called __proto__', JSON.parse('{"__proto__": {"hoursToPay": 1}}') as SourceRecord],
    ['a key called constructor', { constructor: 'x', hasOwnProperty: 'y' }],
  ])('%s is not', (_, values) => {
    expect(readRow(timesheets, timesheet({ ...base, ...values }))).toEqual(
      readRow(timesheets, timesheet(base)),
    );
  });

  const others: SourceRecord = {
    ...{ date: '2026-03-06', employeeId: '2002_7', department: { id: '502_7' }, role: null, shift: null },
    ...{ organisationWorkedId: '2_7', organisationPayRollId: '2_7', hoursToPay: 7.75, casualJob: true },
    ...{ startTime: '2026-03-04T20:15:00Z', finishTime: '2026-03-05T04:15:00Z', includesLeave: true },
    ...{ overnight: true, clockIn: null, clockOut: null, details: [], approvedPayroll: 'PAY-1' },
    ...{ approvedHours: STAMP, processed: STAMP },
  };
  const otherClock = { id: '9_7', localTime: '2026-03-05T09:02:00', variance: 2, kiosk: false, beacon: true };
  const otherDetail: SourceRecord = {
    ...{ id: '9_7', activity: null, alternateDepartment: '502_7', alternateOrganisation: '2_7', hours: 8 },
    ...{
      startTime: '2026-03-04T20:15:00Z',
      finishTime: '2026-03-05T04:15:00Z',
      mealBreak: false,
      restBreak: true,
    },
  };
  const eachOf = (values: SourceRecord) => Object.entries(values).map(([name, value]) => ({ [name]: value }));

  test.each([
    ...eachOf(others),
    ...eachOf(otherClock).map((values) => ({ clockIn: clocking(values) })),
    ...eachOf(otherDetail).map((values) => ({ details: [detail(values)] })),
    { details: [detail(), detail({ id: '8002_7' })] },
  ])('a change to %j is seen', (values) => {
    expect(readRow(timesheets, timesheet({ ...base, ...values }))).not.toEqual(
      readRow(timesheets, timesheet(base)),
    );
  });

  test('the order of details does not matter, even when two share an id', () => {
    const details = fc.array(
      fc.record({ id: fc.constantFrom('1_7', '2_7', '3_7', '10_7'), hours: fc.integer({ min: 0, max: 3 }) }),
      { maxLength: 8 },
    );
    const shuffled = details.chain((some) =>
      fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })),
    );
    holds(
      fc.property(shuffled, ([some, others]) => {
        expect(readRow(timesheets, timesheet({ details: others.map(detail) }))).toEqual(
          readRow(timesheets, timesheet({ details: some.map(detail) })),
        );
      }),
      300,
    );
  });

  test('reading it leaves the record as it was', () => {
    const record = timesheet({ details: [detail({ id: '9_7' }), detail({ id: '1_7' })] });
    const before = structuredClone(record);
    readRow(timesheets, record);
    expect(record).toEqual(before);
  });

  test('it belongs to its date, and nowhere when it has none', () => {
    expect(timesheets.sliceOf(timesheet({ date: '2026-02-28' }))).toBe('2026-02-28');
    for (const date of ['2026-02-30', '05/03/2026', '', null, undefined, 20260305, {}]) {
      expect(timesheets.sliceOf(timesheet({ date }))).toBeNull();
    }
  });

  test('it is settled once it is processed', () => {
    const settled = (values: SourceRecord) => isSettled(timesheets, readRow(timesheets, timesheet(values)));
    expect(settled({ processed: '2026-03-05T18:00:00.000Z' })).toBe(true);
    expect(settled({ approvedHours: '2026-03-05T18:00:00.000Z', approvedPayroll: 'PAY-1' })).toBe(false);
  });
});

describe('of a pay period', () => {
  test('exactly the listed fields are watched, in stored order', () => {
    const names = 'calendar startDate finishDate closed payRollCompanyId payRollProvider';
    expect(payPeriods.fields.map(({ name }) => name).join(' ')).toBe(names);
  });

  test.each<[string, SourceRecord]>([
    ['hours', { hours: 9 }],
    ['employees', { numberEmployees: 9 }],
    ['timesheets', { numberTimesheets: 9 }],
  ])('the total of %s is not watched', (_, values) => {
    expect(readRow(payPeriods, payPeriod(values))).toEqual(readRow(payPeriods, payPeriod()));
  });

  test.each<[string, SourceRecord]>([
    ['calendar', { calendar: 'Monthly' }],
    ['start', { startDate: '2026-03-01' }],
    ['finish', { finishDate: '2026-03-09' }],
    ['closing', { closed: '2026-03-09' }],
    ['company', { payRollCompanyId: '4_7' }],
    ['provider', { payRollProvider: 'Other' }],
  ])('a change of %s is seen', (_, values) => {
    expect(readRow(payPeriods, payPeriod(values))).not.toEqual(readRow(payPeriods, payPeriod()));
  });

  test('every one belongs to the one list', () => {
    expect(payPeriods.sliceOf(payPeriod())).toBe('all');
    expect(payPeriods.sliceOf({})).toBe('all');
  });

  test('it is settled once it is closed', () => {
    expect(isSettled(payPeriods, readRow(payPeriods, payPeriod()))).toBe(false);
    expect(isSettled(payPeriods, readRow(payPeriods, payPeriod({ closed: '2026-03-09' })))).toBe(true);
  });
});

function readRow({ name }: FeedDefinition, record: SourceRecord) {
  return parseRow(textOf(record, name));
}
