import { expect, test } from 'vitest';
import { areTotalsEqual, parseTotals, subtractTotals } from '#shared/core/records/pay-period.ts';
import { roundNumber } from '#shared/core/records/values.ts';

const TOTALS = { timesheets: 154, employees: 31, hours: 1_204.25 };

test('the totals of a hint are read back', () => {
  expect(parseTotals('1204.25/31/154')).toEqual(TOTALS);
  expect(parseTotals('0/0/0')).toEqual({ timesheets: 0, employees: 0, hours: 0 });
});

test.each([
  'undefined/31/154',
  '1204.25/null/154',
  '1204.25/31/',
  '12/3.5/154',
  '12/-1/154',
  '12/31',
  '1/2/3/4',
  '',
])('%j says nothing', (text) => {
  expect(parseTotals(text)).toBeNull();
});

test('totals differ by a timesheet, an employee, or a hundredth of an hour', () => {
  expect(areTotalsEqual(TOTALS, { ...TOTALS, hours: 1_204.254 })).toBe(true);
  expect(areTotalsEqual(TOTALS, { ...TOTALS, hours: 1_204.26 })).toBe(false);
  expect(areTotalsEqual(TOTALS, { ...TOTALS, timesheets: 153 })).toBe(false);
  expect(areTotalsEqual(TOTALS, { ...TOTALS, employees: 30 })).toBe(false);
  expect(subtractTotals(TOTALS, { timesheets: 155, employees: 30, hours: 1_204.35 })).toEqual({
    timesheets: -1,
    employees: 1,
    hours: -0.1,
  });
});

test('sums lose the noise of decimals, and are never minus zero', () => {
  expect(roundNumber(0.1 + 0.2)).toBe(0.3);
  expect(Object.is(roundNumber(-0.00001), 0)).toBe(true);
});
