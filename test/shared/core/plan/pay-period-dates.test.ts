import { describe, expect, test } from 'vitest';
import { findClosedPeriods, isClosedByCalendar } from '#shared/core/plan/pay-period-dates.ts';
import { hint } from '#test/support/builders.ts';
import { TODAY } from './agendas.ts';

describe('a date is closed', () => {
  const closed = hint({ closed: true });
  const weekly = { id: '3_7', calendar: 'Weekly' };

  test('when every pay period that covers it is, and there is one', () => {
    expect(findClosedPeriods([closed], TODAY)).toEqual([weekly]);
    const monthly = hint({ id: '4_7', calendar: 'Monthly', closed: true });
    expect(findClosedPeriods([closed, monthly], TODAY)).toEqual([weekly, { id: '4_7', calendar: 'Monthly' }]);
    expect(findClosedPeriods([closed, hint({ id: '4_7' })], TODAY)).toEqual([]);
    expect(findClosedPeriods([hint()], TODAY)).toEqual([]);
    expect(findClosedPeriods([], TODAY)).toEqual([]);
  });

  test('from the first to the last day of its period', () => {
    const dates = ['2026-03-01', '2026-03-02', '2026-03-08', '2026-03-09'];
    expect(dates.map((date) => findClosedPeriods([closed], date).length)).toEqual([0, 1, 1, 0]);
  });

  test('whatever the periods of other dates are', () => {
    const other = hint({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
    expect(findClosedPeriods([closed, other], TODAY)).toEqual([weekly]);
  });

  test('for an employee by the periods of the own calendar alone', () => {
    const monthly = { id: '4_7', calendar: 'Monthly' };
    const periods = [closed, hint(monthly)];
    expect(findClosedPeriods(periods, TODAY, 'Weekly')).toEqual([weekly]);
    expect(findClosedPeriods(periods, TODAY, 'Monthly')).toEqual([]);
    const both = [closed, hint({ ...monthly, closed: true })];
    expect(findClosedPeriods(both, TODAY, 'Monthly')).toEqual([monthly]);
    // A calendar without a period on the date says nothing.
    expect(findClosedPeriods(periods, TODAY, 'Fortnightly')).toEqual([]);
    expect(findClosedPeriods(both, TODAY, 'Fortnightly')).toEqual([weekly, monthly]);
  });

  test('by the calendar of an employee only where several periods cover it', () => {
    expect(isClosedByCalendar([closed], TODAY)).toBe(false);
    expect(isClosedByCalendar([closed, hint({ id: '4_7' })], TODAY)).toBe(true);
    expect(isClosedByCalendar([hint(), hint({ id: '4_7' })], TODAY)).toBe(false);
  });

  test('also by a period whose calendar an older version did not store', () => {
    expect(findClosedPeriods([hint({ closed: true, calendar: undefined })], TODAY)).toEqual([
      { id: '3_7', calendar: null },
    ]);
  });
});
