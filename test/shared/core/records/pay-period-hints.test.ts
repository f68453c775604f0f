import { expect, test } from 'vitest';
import { dateTotals } from '#shared/core/records/pay-period.ts';
import { hint, NOW } from '#test/support/builders.ts';

test('the totals of a period are as old as the first scan that saw them', () => {
  const since = (before: ReturnType<typeof hint>[], totals = '1/1/1') =>
    dateTotals([hint({ totals })], before, NOW)[0]?.totalsSince;
  const known = hint({ totals: '1/1/1', totalsSince: NOW - 5 });
  expect(since([known])).toBe(NOW - 5);
  expect(since([known], '2/1/1')).toBe(NOW);
  expect(since([])).toBe(NOW);
  // An earlier version did not store it.
  expect(since([hint({ totals: '1/1/1' })])).toBe(NOW);
});
