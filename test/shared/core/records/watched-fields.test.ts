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

describe('of a timesheet', () => {
  test('exactly the listed fields are watched, in stored order', () => {
    expect(timesheets.fields.map(({ name }) => name)).toEqual([
      'date',
      'employeeId',
      'departmentId',
      'roleId',
      'shiftId',
      'organisationWorkedId',
      'organisationPayRollId',
      'startTime',
      'finishTime',
      'hoursToPay',
      'casualJob',
      'includesLeave',
      'overnight',
      'clockIn',
      'clockOut',
      'approvedHours',
      'approvedPayroll',
      'processed',
      'details',
    ]);
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

  test.each<[string, SourceRecord]>([
    ['date', { date: '2026-03-06' }],
    ['employee', { employeeId: '2002_7' }],
    ['department', { department: { id: '502_7', name: 'Kitchen' } }],
    ['no department', { department: null }],
    ['role', { role: { id: '602_7', name: 'Cook' } }],
    ['shift', { shift: { id: '702_7', name: 'Early' } }],
    ['organisation worked for', { organisationWorkedId: '2_7' }],
    ['organisation that pays', { organisationPayRollId: '2_7' }],
    ['start', { startTime: '2026-03-04T20:15:00.000Z' }],
    ['finish', { finishTime: '2026-03-05T04:15:00.000Z' }],
    ['payable hours', { hoursToPay: 7.75 }],
    ['casual', { casualJob: true }],
    ['leave', { includesLeave: true }],
    ['overnight', { overnight: true }],
    ['clock-in id', { clockIn: clocking({ id: '7002_7' }) }],
    ['clock-in time', { clockIn: clocking({ localTime: '2026-03-05T09:02:00' }) }],
    ['clock-in variance', { clockIn: clocking({ variance: 2 }) }],
    ['clock-in kiosk', { clockIn: clocking({ kiosk: false }) }],
    ['clock-in beacon', { clockIn: clocking({ beacon: true }) }],
    ['no clock-in', { clockIn: null }],
    ['clock-out', { clockOut: clocking({ variance: 2 }) }],
    ['approval', { approvedHours: '2026-03-05T18:00:00.000Z' }],
    ['payroll approval', { approvedPayroll: 'PAY-1' }],
    ['processing', { processed: '2026-03-05T18:00:00.000Z' }],
    ['detail id', { details: [detail({ id: '8002_7' })] }],
    ['detail activity', { details: [detail({ activity: null })] }],
    ['detail department', { details: [detail({ alternateDepartment: '502_7' })] }],
    ['detail organisation', { details: [detail({ alternateOrganisation: '2_7' })] }],
    ['detail start', { details: [detail({ startTime: '2026-03-04T20:15:00.000Z' })] }],
    ['detail finish', { details: [detail({ finishTime: '2026-03-05T04:15:00.000Z' })] }],
    ['detail hours', { details: [detail({ hours: 8 })] }],
    ['meal break', { details: [detail({ mealBreak: false })] }],
    ['rest break', { details: [detail({ restBreak: true })] }],
    ['one detail more', { details: [detail(), detail({ id: '8002_7' })] }],
    ['no details', { details: [] }],
  ])('a change of %s is seen', (_, values) => {
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
    expect(payPeriods.fields.map(({ name }) => name)).toEqual([
      'calendar',
      'startDate',
      'finishDate',
      'closed',
      'payRollCompanyId',
      'payRollProvider',
    ]);
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
