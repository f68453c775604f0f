import { expect, test } from 'vitest';
import { formatOutstanding, type OpenPeriod } from '#cli/commands/outstanding.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NO_NAMES } from '#shared/names/names.ts';
import type { Outstanding } from '#shared/statements/outstanding.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://workforce.example.com',
  timeZone: 'Pacific/Auckland',
  secretName: 'main',
};
const NAMES = {
  ...NO_NAMES,
  employees: new Map([['2001_7', 'Ana Lee']]),
  departments: new Map([['501_7', 'Kitchen']]),
};

test('each closed pay period has who is to be paid what more or less, by name where there is one', () => {
  const found = [
    period('3_7', [
      open({ reason: 'changed', was: 7.5, hours: 8, difference: 0.5 }),
      open({ employeeId: '2002_7', reason: 'approval_revoked', was: 6, approved: false, difference: -6 }),
      open({ employeeId: null, date: null, departmentId: null, reason: 'removed', difference: -2 }),
    ]),
    period('4_7', []),
  ];
  expect(print(found)).toEqual([
    'Weekly 2-8 Mar (3_7): 3 timesheets, -7.5 h',
    'employee  date       to pay  since it closed                    department  timesheet',
    'Ana Lee   Thu 5 Mar  +0.5 h  changed 7.5 to 8 h                 Kitchen     1001_7',
    '2002_7    Thu 5 Mar  -6 h    approval revoked                   Kitchen     1001_7',
    '-         -          -2 h    removed, or of another period now  -           1001_7',
    'console: http://127.0.0.1:4600/records/3_7?connection=main',
    '',
    '3 timesheets, -7.5 h in 1 pay period',
  ]);
});

test('that nothing is open is said only where it is known', () => {
  expect(print([period('3_7', [])])).toEqual(['nothing is open of the closed pay periods']);
  expect(print([period('3_7', null)])).toEqual(['3_7: not known; there is no statement of its closing']);
  expect(print([period('3_7', [], false)])).toEqual([
    '3_7: without what was added or removed; not all of it is known',
  ]);
});

function print(found: readonly OpenPeriod[]): string[] {
  const alerts = { consoleUrl: 'http://127.0.0.1:4600' };
  const config = parseNotifierConfig({ connections: [CONNECTION], alerts });
  return formatOutstanding(found, { config });
}

function period(id: string, outstanding: readonly Outstanding[] | null, knowsAdded = true): OpenPeriod {
  const dates = { startDate: '2026-03-02', finishDate: '2026-03-08', closed: '2026-03-09' };
  const stored = { calendar: 'Weekly', ...dates, payRollCompanyId: null, payRollProvider: null };
  return { statement: { id, connection: 'main', period: stored, outstanding, knowsAdded }, names: NAMES };
}

function open(values: Partial<Outstanding>): Outstanding {
  return {
    ...{ timesheetId: '1001_7', employeeId: '2001_7', departmentId: '501_7', date: '2026-03-05' },
    ...{ reason: 'changed', was: null, hours: null, approved: true, difference: 0, ...values },
  };
}
