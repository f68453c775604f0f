import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FeedDefinition,
  feedDefinition,
  isSettled,
  parseRow,
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

  const base = { clockIn: clocking(), clockOut: clocking(), shift: { id: '701_7', name: 'Early' } };
  const isSeen = (values: SourceRecord) =>
    textOf(timesheet({ ...base, ...values })) !== textOf(timesheet(base));

  test.each<SourceRecord>([
    { hourlyRate: '$99.00' },
    { __type: 'another' },
    { contractedHoursId: '' },
    { inventedLater: { deep: ['x'] } },
    { department: { id: '501_7', name: 'Kitchen & Bar' } },
    { role: { id: '601_7', name: 'Chef' } },
    { shift: { id: '701_7', name: 'Morning' } },
    { clockIn: clocking({ overrideEmployee: 'Mere Tane' }) },
    { clockOut: clocking({ overrideOrganisation: '9_7' }) },
    { clockIn: clocking({ photo: 'x' }) },
    { details: [detail({ rate: '$31.50' })] },
    JSON.parse('{"__proto__": {"hoursToPay": 1}}') as SourceRecord,
    { constructor: 'x', hasOwnProperty: 'y' },
  ])('nothing of %j is watched', (values) => {
    expect(isSeen(values)).toBe(false);
  });

  const otherClock = { id: '9_7', localTime: '2026-03-05T09:02:00', variance: 2, kiosk: false, beacon: true };
  const times = { startTime: '2026-03-04T20:15:00Z', finishTime: '2026-03-05T04:15:00Z' };
  const others: SourceRecord = {
    ...{ date: '2026-03-06', employeeId: '2002_7', department: { id: '502_7' }, role: null, shift: null },
    ...{ organisationWorkedId: '2_7', organisationPayRollId: '2_7', hoursToPay: 7.75, casualJob: true },
    ...{ includesLeave: true, overnight: true, clockIn: null, clockOut: null, details: [] },
    ...{ approvedHours: STAMP, approvedPayroll: 'PAY-1', processed: STAMP, ...times },
  };
  const otherDetail: SourceRecord = {
    ...{ id: '9_7', activity: null, alternateDepartment: '502_7', alternateOrganisation: '2_7', hours: 8 },
    ...{ mealBreak: false, restBreak: true, ...times },
  };
  const eachOf = (values: SourceRecord) => Object.entries(values).map(([name, value]) => ({ [name]: value }));

  test.each([
    ...eachOf(others),
    ...eachOf(otherClock).map((values) => ({ clockIn: clocking(values) })),
    ...eachOf(otherDetail).map((values) => ({ details: [detail(values)] })),
    { details: [detail(), detail({ id: '8002_7' })] },
  ])('a change to %j is seen', (values) => {
    expect(isSeen(values)).toBe(true);
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

  test.each<[SourceRecord, boolean]>([
    [{ hours: 9, numberEmployees: 9, numberTimesheets: 9 }, false],
    [{ calendar: 'Monthly' }, true],
    [{ startDate: '2026-03-01' }, true],
    [{ finishDate: '2026-03-09' }, true],
    [{ closed: '2026-03-09' }, true],
    [{ payRollCompanyId: '4_7' }, true],
    [{ payRollProvider: 'Other' }, true],
  ])('a change to %j is seen: %s', (values, isSeen) => {
    expect(textOf(payPeriod(values)) !== textOf(payPeriod())).toBe(isSeen);
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
