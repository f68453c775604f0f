import { expect, test } from 'vitest';
import { formatPeriods } from '#cli/period/format-periods.ts';
import type { Account } from '#shared/core/periods/account-data.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { accountOf } from '#test/support/account.ts';

const NOW = Date.parse('2026-03-10T08:00:00Z');
const READER = { timeZone: 'UTC', now: NOW };
const SINCE = { since: '2026-03-09T01:30:00.000Z' };
const CHANGES = {
  ...{
    ...SINCE,
    verdict: 'pay' as const,
    readyHours: 750,
    timesheets: 3,
    hours: 1,
    complete: true,
    listed: [],
  },
  open: { timesheets: 2, hours: -5.5 },
} satisfies Account['changes'];
const LEFT = {
  ready: { people: 19, timesheets: 94, hours: 704.5 },
  notReady: { people: 5, timesheets: 6, hours: 45.5 },
  verdict: 'not_yet',
} as const;

test('each pay period has a line: its state, what is ready, what is still open, and the verdict', () => {
  const lines = formatPeriods([
    period('3_7', { changes: CHANGES }),
    period('4_7', { changes: { ...CHANGES, open: { timesheets: 0, hours: 0 } } }),
    period('5_7', LEFT),
    period('6_7', { changes: { ...CHANGES, complete: false } }),
    period('7_7', { ...LEFT, state: 'open', since: null, closesAt: '2026-03-10T10:30:00.000Z' }),
    period('8_7', { ...LEFT, state: 'reopened', changes: CHANGES }),
    period('9_7', { state: 'settled', since: null }),
  ]);
  expect(lines.map((line) => line.replaceAll(/ +/g, ' ').trim())).toEqual([
    'pay period calendar dates state ready not ready still open verdict',
    '3_7 Weekly 2-8 Mar closed Mon 9 Mar 01:30 750 h nothing 2 timesheets, -5.5 h Pay 750 h now',
    '4_7 Weekly 2-8 Mar closed Mon 9 Mar 01:30 750 h nothing nothing Pay 750 h now',
    '5_7 Weekly 2-8 Mar closed Mon 9 Mar 01:30 704.5 h 6 timesheets, 45.5 h not known Not yet: 6 not approved (45.5 h)',
    '6_7 Weekly 2-8 Mar closed Mon 9 Mar 01:30 750 h nothing 2 timesheets, -5.5 h, as far as known Pay 750 h now',
    '7_7 Weekly 2-8 Mar open 704.5 h 6 timesheets, 45.5 h Not yet: 6 not approved (45.5 h); closes today 10:30',
    '8_7 Weekly 2-8 Mar reopened Mon 9 Mar 01:30 704.5 h 6 timesheets, 45.5 h 2 timesheets, -5.5 h Not yet: reopened Mon 9 Mar 01:30; 6 not approved (45.5 h)',
    '9_7 Weekly 2-8 Mar settled Mon 9 Mar 750 h nothing not known Pay 750 h in all',
  ]);
});

test('a connection is named where there are several', () => {
  const [, first] = formatPeriods([period('3_7', {}), period('3_7', {}, 'other')]);
  expect(first).toMatch(/^3_7 of main /);
});

function period(id: string, account: Partial<Account>, connection = 'main') {
  const dates = { startDate: '2026-03-02', finishDate: '2026-03-08', closed: '2026-03-09' };
  const reading: PeriodReading = {
    ...{ id, connection, account: accountOf(account), told: [], timesheets: [], changed: null, unknown: [] },
    period: { calendar: 'Weekly', ...dates, payRollCompanyId: null, payRollProvider: null },
  };
  return { reading, reader: READER };
}
