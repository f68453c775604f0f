import { expect, test } from 'vitest';
import { formatPeriods } from '#cli/period/format-periods.ts';
import type { OpenTimesheet } from '#shared/period/open-timesheets.ts';

test('each pay period has a line, a closed one with what is still open of it', () => {
  const lines = formatPeriods([
    period('3_7', { stillOpen: [open(0.5), open(-6)] }),
    period('4_7', { stillOpen: [] }),
    period('5_7', { stillOpen: null }),
    period('6_7', { stillOpen: [], knowsAdded: false }),
    period('7_7', { closed: null, stillOpen: null }),
  ]);
  expect(lines.map((line) => line.replaceAll(/ +/g, ' ').trim())).toEqual([
    'pay period connection calendar dates state hours timesheets not approved not processed still open',
    '3_7 main Weekly 2-8 Mar 2026 closed 2026-03-09 40 h 5 1 2 2 timesheets, -5.5 h',
    '4_7 main Weekly 2-8 Mar 2026 closed 2026-03-09 40 h 5 1 2 nothing',
    '5_7 main Weekly 2-8 Mar 2026 closed 2026-03-09 40 h 5 1 2 not known',
    '6_7 main Weekly 2-8 Mar 2026 closed 2026-03-09 40 h 5 1 2 nothing, without what was added or removed',
    '7_7 main Weekly 2-8 Mar 2026 open 40 h 5 1 2',
  ]);
});

interface Shown {
  readonly stillOpen: readonly OpenTimesheet[] | null;
  readonly knowsAdded?: boolean;
  readonly closed?: string | null;
}

function period(id: string, { stillOpen, knowsAdded = true, closed = '2026-03-09' }: Shown) {
  const dates = { startDate: '2026-03-02', finishDate: '2026-03-08', closed };
  return {
    ...{ id, connection: 'main', stillOpen, knowsAdded },
    period: { calendar: 'Weekly', ...dates, payRollCompanyId: null, payRollProvider: null },
    now: { hoursToPay: 40, timesheets: 5, unapproved: 1, unprocessed: 2 },
  };
}

function open(difference: number): OpenTimesheet {
  return {
    ...{ timesheetId: '1001_7', employeeId: '2001_7', departmentId: '501_7', date: '2026-03-05' },
    ...{ reason: 'changed', was: null, hours: null, approved: true, difference },
  };
}
