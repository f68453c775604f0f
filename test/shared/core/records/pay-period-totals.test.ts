import { expect, test } from 'vitest';
import { areTotalsEqual, readTotals, subtractTotals } from '#shared/core/records/pay-period.ts';
import { payPeriod } from '#test/support/builders.ts';

const TOTALS = { timesheets: 154, employees: 31, hours: 1_204.25 };

test('the totals of a period are read as its source gives them', () => {
  expect(readTotals(payPeriod())).toEqual(TOTALS);
  const none = { hours: 0, numberEmployees: 0, numberTimesheets: 0 };
  expect(readTotals(payPeriod(none))).toEqual({ timesheets: 0, employees: 0, hours: 0 });
});

test.each([
  { hours: undefined },
  { hours: '1204.25' },
  { numberEmployees: null },
  { numberEmployees: 3.5 },
  { numberTimesheets: -1 },
  { numberTimesheets: Number('1e400') },
])('%j says nothing', (values) => {
  expect(readTotals(payPeriod(values))).toBeNull();
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
