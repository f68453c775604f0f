import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ClosingContext, toManifest } from '#shared/core/account/manifest.ts';
import { PeriodAccount } from '#shared/core/account/period-account.ts';
import { closeManifestSchema } from '#shared/core/events/close-manifest.ts';
import type { PayPeriodTotals } from '#shared/core/records/pay-period-totals.ts';
import { holds } from '#test/shared/core/properties.ts';
import { leafRow, timesheet, viewOf } from '#test/support/builders.ts';
import { STAMP } from '../events/sample-events.ts';

const DATE = '2026-03-05';

describe('a leftover', () => {
  test('says whose it is, on which day, and of how many hours', () => {
    expect(manifestOf([{ id: '2_7' }]).leftovers).toEqual([
      {
        ...{ timesheetId: '2_7', sequence: 0, approved: false, processed: false },
        ...{ employeeId: '2001_7', departmentId: '501_7', date: DATE, hours: 7.5 },
        missing: ['approval', 'processing'],
      },
    ]);
  });

  test('says what is missing; a payroll approval only where the period knows one', () => {
    const paid = { id: '1_7', approvedHours: STAMP, processed: STAMP };
    expect(missingOf([paid, { id: '2_7' }, { id: '3_7', approvedHours: STAMP }])).toEqual({
      '2_7': ['approval', 'processing'],
      '3_7': ['processing'],
    });
    expect(missingOf([{ ...paid, approvedPayroll: 'P-1' }, { id: '2_7' }])).toEqual({
      '2_7': ['approval', 'payroll_approval', 'processing'],
    });
  });

  test('that is not approved comes before fifty that are only not processed', () => {
    const unprocessed = Array.from({ length: 60 }, (_, index) => ({
      id: `1${index}_7`,
      approvedHours: STAMP,
    }));
    const { leftovers } = manifestOf([...unprocessed, { id: '9_7' }]);
    expect(leftovers).toHaveLength(50);
    expect(leftovers.at(-1)).toMatchObject({ timesheetId: '9_7', approved: false });
  });
});

test('is held against the totals of the source, unless another period counts too', () => {
  const sheets = [{ id: '1_7' }, { id: '2_7', employeeId: '2002_7' }];
  const compare = (source: PayPeriodTotals | null, sharing: readonly string[] = []) => {
    const manifest = manifestOf(sheets, { sharing, source });
    expect(manifest.source).toEqual(source);
    return [manifest.addsUp, manifest.difference];
  };
  const same = { timesheets: 2, employees: 2, hours: 15 };
  expect(compare(same)).toEqual([true, { timesheets: 0, employees: 0, hours: 0 }]);
  expect(compare({ timesheets: 3, employees: 2, hours: 22.5 })).toEqual([
    false,
    { timesheets: -1, employees: 0, hours: -7.5 },
  ]);
  expect(compare(null)).toEqual([null, null]);
  expect(compare(same, ['8_7'])).toEqual([null, null]);
});

describe('where the source was asked whose timesheets are whose', () => {
  const SHEETS = [
    { id: '1_7', employeeId: '2001_7', approvedHours: STAMP, processed: STAMP },
    { id: '2_7', employeeId: '2001_7' },
    { id: '3_7', employeeId: '2002_7' },
  ];
  const source = { timesheets: 1, employees: 1, hours: 7.5 };

  test('only its own count, whoever shares its dates, and are held against its totals', () => {
    const members = { timesheets: new Set(['1_7', '9_7']), unknownEmployees: new Set<string>() };
    expect(manifestOf(SHEETS, { sharing: ['8_7'], source, members })).toMatchObject({
      ...{ members: 'asked', membersUnknown: 0, sharesDatesWith: [], addsUp: true },
      ...{ timesheets: 1, employees: 1, unapproved: 0, unprocessed: 0, hoursToPay: 7.5, leftovers: [] },
    });
  });

  test('those of employees without an answer are left out, counted, and nothing is compared', () => {
    const members = { timesheets: new Set(['1_7', '3_7']), unknownEmployees: new Set(['2002_7']) };
    expect(manifestOf(SHEETS, { sharing: ['8_7'], source, members })).toMatchObject({
      ...{ members: 'partly', membersUnknown: 1, sharesDatesWith: [], addsUp: null, difference: null },
      ...{ timesheets: 1, employees: 1 },
    });
  });
});

test('of many departments those with most timesheets are listed, and all are counted', () => {
  const lone = Array.from({ length: 120 }, (_, index) => ({
    id: `${index}_7`,
    departmentId: `${1_000 + index}`,
  }));
  const large = [1, 2].map((index) => ({ id: `20${index}_7`, departmentId: '9999' }));
  const manifest = manifestOf([...lone, ...large]);
  expect(manifest.departments).toBe(121);
  expect(manifest.byDepartment).toHaveLength(100);
  expect(manifest.byDepartment?.at(-1)).toMatchObject({ departmentId: '9999', timesheets: 2 });
  expect(manifest.byDepartment?.[0]).toMatchObject({ departmentId: '1000', timesheets: 1 });
});

test('whatever is counted, the departments add up to the whole, and the manifest fits its schema', () => {
  const sheet = fc.record({
    departmentId: fc.constantFrom('501_7', '502_7', '503_7'),
    employeeId: fc.constantFrom('2001_7', '2002_7', '2003_7'),
    hoursToPay: fc.integer({ min: 0, max: 1_000 }).map((value) => value / 100),
    approvedHours: fc.constantFrom(null, STAMP),
    processed: fc.constantFrom(null, STAMP),
  });
  holds(
    fc.property(fc.array(sheet, { maxLength: 30 }), (sheets) => {
      const manifest = manifestOf(sheets.map((values, index) => ({ id: `${index}_7`, ...values })));
      const { byDepartment = [], timesheets, hoursToPay, unapproved, unprocessed } = manifest;
      const sum = (name: 'timesheets' | 'hours' | 'unapproved' | 'unprocessed') =>
        byDepartment.reduce((total, each) => total + each[name], 0);
      expect([sum('timesheets'), sum('unapproved'), sum('unprocessed')]).toEqual([
        timesheets,
        unapproved,
        unprocessed,
      ]);
      expect(sum('hours')).toBeCloseTo(hoursToPay, 6);
      closeManifestSchema.parse(manifest);
    }),
    200,
  );
});

type Values = Readonly<Record<string, unknown>> & { readonly id: string };

function manifestOf(sheets: readonly Values[], context: ClosingContext = { sharing: [], source: null }) {
  const account = new PeriodAccount();
  const rows = sheets.map(({ departmentId = '501_7', ...values }) =>
    leafRow(timesheet({ ...values, date: DATE, department: { id: departmentId } })),
  );
  account.add(viewOf(DATE), rows);
  return toManifest(account, context);
}

function missingOf(sheets: readonly Values[]) {
  const { leftovers } = manifestOf(sheets);
  return Object.fromEntries(leftovers.map(({ timesheetId, missing }) => [timesheetId, missing]));
}
