import { expect, test } from 'vitest';
import type { DateRange } from '#shared/core/dates.ts';
import { listOpenDates } from '#shared/period/open-dates.ts';
import { knownPeriod } from '#test/support/builders.ts';

const TODAY = '2026-03-05';

test.each<[string, (DateRange & { readonly closed?: boolean })[], DateRange[]]>([
  ['none', [], []],
  ['an open one', [range('02', '08')], [range('02', '08')]],
  ['closed ones are left out', [{ ...range('02', '08'), closed: true }], []],
  ['one that begins tomorrow, too', [range('06', '08')], []],
  ['and one that was forgotten', [{ from: '2026-01-22', to: '2026-01-28' }], []],
  [
    '35 days are not long',
    [{ from: '2026-01-23', to: '2026-01-29' }],
    [{ from: '2026-01-23', to: '2026-01-29' }],
  ],
  ['of a usual length', [{ from: '2026-03-02', to: '9999-12-31' }], []],
  [
    'neighbours and shared dates are one',
    [range('04', '08'), range('01', '03'), range('05', '06')],
    [range('01', '08')],
  ],
  [
    'what lies between two is not open',
    [range('01', '02'), range('04', '05')],
    [range('01', '02'), range('04', '05')],
  ],
])('dates of open pay periods: %s', (_, periods, expected) => {
  const known = periods.map(({ from, to, closed = false }) =>
    knownPeriod({ startDate: from, finishDate: to, closed }),
  );
  expect(listOpenDates(known, TODAY)).toEqual(expected);
});

function range(from: string, to: string): DateRange {
  return { from: `2026-03-${from}`, to: `2026-03-${to}` };
}
