import { describe, expect, test } from 'vitest';
import type { Readiness } from '#shared/core/periods/readiness-data.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { PeriodAccount, type PeriodMembers } from '#shared/period/period-account.ts';
import { countReadiness, isWorthTelling } from '#shared/period/readiness.ts';
import { STAMP } from '#test/shared/core/events/history.ts';
import { clocking, NOW, storedRow, timesheet } from '#test/support/builders.ts';
import { viewOf } from './views.ts';

const MONDAY = '2026-03-02';
const TUESDAY = '2026-03-03';
const APPROVED = { approvedHours: STAMP };

describe('how far a period is', () => {
  test('counts what is approved and what is not, by people, hours and departments', () => {
    const sheets = [
      { id: '1_7', ...APPROVED, department: { id: '501_7' }, hoursToPay: 0.1 },
      { id: '2_7', department: { id: '501_7' }, employeeId: '2002_7', hoursToPay: 0.2 },
      { id: '3_7', department: { id: '501_7' }, employeeId: '2002_7', hoursToPay: 0.1 },
      { id: '4_7', ...APPROVED, department: { id: '502_7' }, hoursToPay: 8 },
      { id: '5_7', department: null, employeeId: null, hoursToPay: null },
    ];
    expect(readinessOf(sheets)).toMatchObject({
      ...{ through: TUESDAY, complete: true, missing: null, asOf: '2026-03-05T01:01:00.000Z' },
      ...{ timesheets: 5, employees: 2, approved: 2, unapproved: 3, unapprovedEmployees: 1 },
      ...{ unapprovedHours: 0.3, hoursToPay: 8.4, departments: 2 },
      byDepartment: [
        {
          ...{ departmentId: null, timesheets: 1, unapproved: 1 },
          ...{ unapprovedEmployees: 0, unapprovedHours: 0 },
        },
        {
          ...{ departmentId: '501_7', timesheets: 3, unapproved: 2 },
          ...{ unapprovedEmployees: 1, unapprovedHours: 0.3 },
        },
      ],
    });
  });

  test('says what payroll has still to approve, where payroll approves', () => {
    const paid = { ...APPROVED, approvedPayroll: 'P-1' };
    expect(readinessOf([{ id: '1_7', ...APPROVED }, { id: '2_7' }]).payrollUnapproved).toBeNull();
    const sheets = [{ id: '1_7', ...paid }, { id: '2_7', ...APPROVED }, { id: '3_7' }];
    expect(readinessOf(sheets).payrollUnapproved).toBe(1);
    expect(readinessOf([{ id: '1_7', ...paid }]).payrollUnapproved).toBe(0);
  });

  test('lists the departments with most to approve, in order, and counts all', () => {
    const lone = Array.from({ length: 101 }, (_, n) => ({
      id: `${n}_7`,
      department: { id: `${1_000 + n}` },
    }));
    const large = [1, 2].map((n) => ({ id: `20${n}_7`, department: { id: '9999' } }));
    const { departments, byDepartment } = readinessOf([...lone.toReversed(), ...large]);
    expect(departments).toBe(102);
    expect(byDepartment.map(({ departmentId }) => departmentId)).toEqual([
      ...Array.from({ length: 99 }, (_, n) => `${1_000 + n}`),
      '9999',
    ]);
  });

  test('lists what waits by date, the first fifty of it', () => {
    const sheets = Array.from({ length: 60 }, (_, n) => ({ id: `${100 + n}_7`, date: TUESDAY }));
    const { waiting, unapproved } = readinessOf([...sheets.toReversed(), { id: '999_7', date: MONDAY }]);
    expect(unapproved).toBe(61);
    expect(waiting.map(({ timesheetId }) => timesheetId)).toEqual([
      '999_7',
      ...sheets.slice(0, 49).map(({ id }) => id),
    ]);
  });

  test('says of what waits whose it is, when, of how many hours, and what is missing', () => {
    const clockIn = clocking();
    const { waiting } = readinessOf(
      [
        { id: '1_7', clockIn },
        { id: '2_7', clockIn, clockOut: clocking(), employeeId: '2002_7' },
        { id: '3_7', employeeId: '2003_7' },
      ],
      { row: { sequence: 2, epoch: NOW } },
    );
    expect(waiting[0]).toEqual({
      ...{ timesheetId: '1_7', epoch: '2026-03-05T01:01:00.000Z', sequence: 2 },
      ...{ employeeId: '2001_7', departmentId: '501_7', date: MONDAY, hours: 7.5 },
      missing: ['clock_out', 'approval'],
    });
    expect(waiting.map(({ missing }) => missing)).toEqual([
      ['clock_out', 'approval'],
      ['approval'],
      ['approval'],
    ]);
  });
});

describe('where periods share dates', () => {
  const sharing = Array.from({ length: 21 }, (_, n) => `${n}_7`);
  const sheets = [
    { id: '1_7', employeeId: '2001_7' },
    { id: '2_7', employeeId: '2002_7' },
    { id: '3_7', employeeId: null },
    { id: '4_7', employeeId: '2002_7', ...APPROVED },
    { id: '5_7', employeeId: '2003_7' },
  ];

  test('all that is on its dates counts, and the periods are named, as long as nobody was asked', () => {
    expect(readinessOf(sheets, { sharing })).toMatchObject({
      ...{ members: 'all', membersUnknown: 0, timesheets: 5, sharesDatesWith: sharing.slice(0, 20) },
    });
  });

  test('only its own counts once it is known, and what may be its own and waits is counted apart', () => {
    const members = { timesheets: new Set(['1_7', '2_7']), unknown: new Set(['2_7', '4_7']) };
    expect(readinessOf(sheets, { sharing, members })).toMatchObject({
      ...{ members: 'partly', membersUnknown: 2, timesheets: 1, unapproved: 1, sharesDatesWith: [] },
    });
  });
});

test.each<[string, Partial<Readiness>, boolean]>([
  ['all is approved', {}, false],
  ['something waits', { unapproved: 1 }, true],
  ['a date is in doubt', { complete: false }, true],
  ['what may be its own waits', { membersUnknown: 1 }, true],
])('a reminder when %s', (_, values, isTold) => {
  const readiness = { unapproved: 0, complete: true, membersUnknown: 0, ...values };
  expect(isWorthTelling(readiness as Readiness)).toBe(isTold);
});

interface Context {
  readonly sharing?: readonly string[];
  readonly members?: PeriodMembers;
  readonly row?: Partial<StoredRow>;
}

function readinessOf(sheets: readonly SourceRecord[], context: Context = {}): Readiness {
  const { sharing = [], members = null, row = {} } = context;
  const account = new PeriodAccount();
  const records = sheets.map((values) => timesheet({ date: MONDAY, ...values }));
  for (const date of [MONDAY, TUESDAY]) {
    const rows = records.filter((record) => record.date === date).map((record) => storedRow(record, row));
    account.add(viewOf(date), rows);
  }
  return countReadiness(account, { through: TUESDAY, sharing, members });
}
