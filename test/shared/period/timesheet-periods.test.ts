import { describe, expect, test } from 'vitest';
import { findPeriodsOf } from '#shared/core/periods/learn-membership.ts';
import { createPeriodFinder, knownPeriod, DATE as TODAY } from '#test/support/builders.ts';

const WEEKLY = knownPeriod();
const MONTHLY = knownPeriod({ id: '4_7', calendar: 'Monthly' });
const OF_ONE = { id: '1_7', employeeId: '2001_7', date: TODAY };

describe('a timesheet belongs to', () => {
  const find = (periods: Parameters<typeof createPeriodFinder>[0], calendar?: string, date = TODAY) => {
    const calendars = calendar === undefined ? {} : { '2001_7': calendar };
    const found = createPeriodFinder(periods, calendars)({ ...OF_ONE, date });
    return [found?.periods.map(({ id }) => id), found?.isKnown];
  };

  test('the only period of its date, from the first day to the last', () => {
    const dates = ['2026-03-01', '2026-03-02', '2026-03-08', '2026-03-09'];
    expect(dates.map((date) => find([WEEKLY], undefined, date))).toEqual([
      [[], true],
      [['3_7'], true],
      [['3_7'], true],
      [[], true],
    ]);
    const next = knownPeriod({ id: '5_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
    expect(find([WEEKLY, next])).toEqual([['3_7'], true]);
  });

  test('that of its employee where periods share dates, also on a date of one alone', () => {
    const fortnight = { ...MONTHLY, finishDate: '2026-03-15' };
    expect(find([WEEKLY, MONTHLY], 'Monthly')).toEqual([['4_7'], true]);
    expect(find([WEEKLY, fortnight], 'Monthly', '2026-03-12')).toEqual([['4_7'], true]);
    const overlapping = knownPeriod({ id: '5_7', startDate: '2026-03-08', finishDate: '2026-03-15' });
    expect(find([WEEKLY, overlapping, MONTHLY], 'Monthly')).toEqual([['4_7'], true]);
    // Two of a calendar that share other dates.
    expect(find([WEEKLY, overlapping, MONTHLY], 'Weekly')).toEqual([['3_7'], true]);
    expect(find([WEEKLY, overlapping, MONTHLY], 'Weekly', '2026-03-08')).toEqual([['3_7', '5_7'], false]);
  });

  test('none of two of another calendar', () => {
    const again = { ...WEEKLY, id: '5_7' };
    expect(find([WEEKLY, again, MONTHLY], 'Monthly')).toEqual([['4_7'], true]);
  });

  test('one of them while the calendar is not known, or has no period on the date', () => {
    expect(find([WEEKLY, MONTHLY])).toEqual([['3_7', '4_7'], false]);
    expect(find([WEEKLY, MONTHLY], 'Fortnightly')).toEqual([['3_7', '4_7'], false]);
    const fortnight = { ...MONTHLY, finishDate: '2026-03-15' };
    expect(find([WEEKLY, fortnight], 'Weekly', '2026-03-12')).toEqual([['4_7'], false]);
  });

  test('one of those of its calendar, where it has two on the date', () => {
    expect(find([WEEKLY, { ...WEEKLY, id: '5_7' }, MONTHLY], 'Weekly')).toEqual([['3_7', '5_7'], false]);
  });
});

test.each<[string, Record<string, string | null>, readonly string[] | undefined]>([
  ['of an employee of one calendar', { date: TODAY, employeeId: '2001_7' }, ['4_7']],
  ['without an employee', { date: TODAY, employeeId: null }, ['3_7', '4_7']],
  ['without a date, which is no timesheet', { employeeId: '2001_7' }, undefined],
])('the periods of a record are found by its date and employee: one %s', (_, state, expected) => {
  const find = createPeriodFinder([WEEKLY, MONTHLY], { '2001_7': 'Monthly' });
  const found = findPeriodsOf({ id: '1_7', state }, find);
  expect(found?.periods.map(({ id }) => id)).toEqual(expected);
  if (expected === undefined) expect(found).toBeNull();
});
