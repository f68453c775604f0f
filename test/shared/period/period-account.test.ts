import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closeManifestSchema } from '#shared/core/periods/close-manifest.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import type { PayPeriodTotals } from '#shared/core/records/pay-period.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { type ClosingContext, toManifest } from '#shared/period/manifest.ts';
import { type Counted, PeriodAccount, type SliceView } from '#shared/period/period-account.ts';
import { STAMP } from '#test/shared/core/events/history.ts';
import { holds } from '#test/shared/core/properties.ts';
import { clocking, NOW, position, storedRow, timesheet } from '#test/support/builders.ts';
import { viewOf } from './views.ts';

const DATE = '2026-03-05';

describe('a leftover', () => {
  test('says whose it is, on which day, and of how many hours', () => {
    expect(manifestOf([{ id: '2_7' }]).leftovers).toEqual([
      {
        ...{ timesheetId: '2_7', ...position(0), approved: false, processed: false },
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

  test('with the lowest id comes first of fifty alike, and one that is processed and not approved is one', () => {
    const ids = Array.from({ length: 51 }, (_, index) => `${100 + index}_7`);
    const { leftovers } = manifestOf(ids.toReversed().map((id) => ({ id, processed: STAMP })));
    expect(leftovers.map(({ timesheetId }) => timesheetId)).toEqual(ids.slice(0, 50));
    expect(leftovers[0]?.missing).toEqual(['approval']);
  });

  test('lacks no payroll approval that it has', () => {
    expect(missingOf([{ id: '1_7', approvedPayroll: 'P-1' }, { id: '2_7' }])).toEqual({
      '1_7': ['approval', 'processing'],
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
    const members = { timesheets: new Set(['1_7', '9_7']), unknown: new Set<string>() };
    expect(manifestOf(SHEETS, { sharing: ['8_7'], source, members })).toMatchObject({
      ...{ members: 'asked', membersUnknown: 0, sharesDatesWith: [], addsUp: true },
      ...{ timesheets: 1, employees: 1, unapproved: 0, unprocessed: 0, hoursToPay: 7.5, leftovers: [] },
    });
  });

  test('those of which no answer tells are left out, counted, and nothing is compared', () => {
    const members = { timesheets: new Set(['1_7', '3_7']), unknown: new Set(['3_7']) };
    expect(manifestOf(SHEETS, { sharing: ['8_7'], source, members })).toMatchObject({
      ...{ members: 'partly', membersUnknown: 1, sharesDatesWith: [], addsUp: null, difference: null },
      ...{ timesheets: 1, employees: 1 },
    });
  });
});

test('says what is approved and processed, and what is not', () => {
  const sheets = [
    { id: '1_7', approvedHours: STAMP, processed: STAMP },
    { id: '2_7', approvedHours: STAMP, employeeId: '2002_7' },
    { id: '3_7', processed: STAMP, employeeId: null },
    { id: '4_7', employeeId: null },
    { id: '5_7', approvedHours: STAMP },
  ];
  expect(manifestOf(sheets)).toMatchObject({
    ...{ timesheets: 5, employees: 2, approved: 3, unapproved: 2, processed: 2, unprocessed: 3 },
    byDepartment: [{ departmentId: '501_7', employees: 2, unapproved: 2, unprocessed: 3 }],
  });
});

test('names up to twenty periods that share its dates, and dates that were last looked at before', () => {
  const sharing = Array.from({ length: 21 }, (_, index) => `${index}_7`);
  const lookedAtBefore = { from: DATE, to: DATE };
  const manifest = manifestOf([], { sharing, source: null, lookedAtBefore });
  expect(manifest).toMatchObject({ sharesDatesWith: sharing.slice(0, 20), lookedAtBefore });
  expect(manifestOf([])).not.toHaveProperty('lookedAtBefore');
});

test('of departments alike those with the lowest ids are listed', () => {
  const ids = Array.from({ length: 101 }, (_, index) => `${1_000 + index}`);
  const sheets = ids.toReversed().map((departmentId, index) => ({ id: `${index}_7`, departmentId }));
  expect(manifestOf(sheets).byDepartment?.map(({ departmentId }) => departmentId)).toEqual(ids.slice(0, 100));
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

describe('the dates of a period', () => {
  const [MONDAY, TUESDAY, WEDNESDAY] = ['2026-03-02', '2026-03-03', '2026-03-04'] as const;
  const held = { kind: 'held', since: NOW } as const;
  const rowsOf = (date: string, ids: readonly string[]) =>
    ids.map((id) => storedRow(timesheet({ id, date })));
  const accountOf = (...dates: [SliceView, readonly StoredRow[]][]) => {
    const account = new PeriodAccount();
    for (const [view, rows] of dates) account.add(view, rows);
    return account;
  };
  const countedOf = (account: PeriodAccount) =>
    account.select(null).counted.map(({ timesheetId, date }) => [timesheetId, date]);

  test('count in their order, whichever was added first, and each once', () => {
    const account = accountOf(
      [viewOf(TUESDAY), rowsOf(TUESDAY, ['2_7'])],
      [viewOf(MONDAY), rowsOf(MONDAY, ['3_7', '1_7'])],
      [viewOf(WEDNESDAY), rowsOf(WEDNESDAY, ['9_7'])],
      [viewOf(TUESDAY), rowsOf(TUESDAY, ['4_7'])],
    );
    expect(account.views.map(({ slice }) => slice)).toEqual([MONDAY, TUESDAY, WEDNESDAY]);
    expect(countedOf(account)).toEqual([
      ['3_7', MONDAY],
      ['1_7', MONDAY],
      ['4_7', TUESDAY],
      ['9_7', WEDNESDAY],
    ]);
  });

  test('count a timesheet once that stands on two of them', () => {
    const account = accountOf(
      [viewOf(TUESDAY), rowsOf(TUESDAY, ['1_7'])],
      [viewOf(MONDAY), rowsOf(MONDAY, ['1_7'])],
    );
    expect(countedOf(account)).toEqual([['1_7', MONDAY]]);
  });

  test('do not count while they were never read', () => {
    const kind = 'unread';
    const account = accountOf(
      [viewOf(MONDAY, { doubts: [held, { kind }] }), rowsOf(MONDAY, ['1_7'])],
      [viewOf(TUESDAY, { lookedAt: NOW - 1 }), rowsOf(TUESDAY, ['2_7'])],
      [viewOf(WEDNESDAY, { lookedAt: NOW - 2, doubts: [{ kind }] }), []],
    );
    expect(countedOf(account)).toEqual([['2_7', TUESDAY]]);
    expect(account.coverage()).toEqual({
      ...{ complete: false, missing: { from: MONDAY, to: WEDNESDAY } },
      asOf: '2026-03-05T01:00:59.999Z',
    });
  });

  test('count as before a hold', () => {
    const account = accountOf(
      [viewOf(MONDAY, { lookedAt: NOW - 1 }), rowsOf(MONDAY, ['1_7'])],
      [viewOf(TUESDAY, { lookedAt: NOW - 2, doubts: [held] }), rowsOf(TUESDAY, ['2_7'])],
      [viewOf(WEDNESDAY, { doubts: [held] }), []],
      [viewOf(DATE, { doubts: [held] }), []],
    );
    expect(countedOf(account).length).toBe(2);
    expect(account.coverage()).toEqual({
      ...{ complete: false, missing: null, held: { from: TUESDAY, to: DATE } },
      asOf: '2026-03-05T01:00:59.998Z',
    });
  });

  test('are complete where none is in doubt', () => {
    const asOf = '2026-03-05T01:01:00.000Z';
    const coverage = { complete: true, missing: null, asOf };
    expect(accountOf([viewOf(MONDAY), []]).coverage()).toEqual(coverage);
    const unlooked = accountOf([viewOf(MONDAY), []], [viewOf(TUESDAY, { lookedAt: null }), []]);
    expect(unlooked.coverage()).toEqual(coverage);
    expect(accountOf().coverage()).toEqual({ complete: true, missing: null, asOf: null });
  });

  test('say how many of some timesheets were not read in the last look', () => {
    const account = accountOf(
      [viewOf(MONDAY, { unseen: new Set(['1_7', '8_7']) }), rowsOf(MONDAY, ['1_7', '2_7'])],
      [viewOf(TUESDAY, { unseen: new Set(['3_7']) }), rowsOf(TUESDAY, ['3_7'])],
    );
    const { counted } = account.select(null);
    expect([counted, counted.slice(1)].map((each) => account.coverage(each).asLastSeen)).toEqual([2, 1]);
    expect(toManifest(account, { sharing: [], source: null }).asLastSeen).toBe(2);
    expect(manifestOf([{ id: '1_7' }])).not.toHaveProperty('asLastSeen');
  });

  test('say so of those that could not be read, and do not count what never could', () => {
    const bad = { text: '[]', issues: ['hoursToPay'] };
    const [good, known, unknown] = rowsOf(MONDAY, ['1_7', '2_7', '3_7']) as [StoredRow, StoredRow, StoredRow];
    const account = accountOf([viewOf(MONDAY), [good, { ...known, bad }, { ...unknown, text: null, bad }]]);
    expect(countedOf(account).length).toBe(2);
    expect(account.coverage(account.select(null).counted).asLastSeen).toBe(1);
  });

  test('name the timesheets of each employee', () => {
    const sheet = (id: string, employeeId: string | null) =>
      storedRow(timesheet({ id, employeeId, date: MONDAY }));
    const rows = [
      sheet('1_7', 'c'),
      sheet('2_7', 'a'),
      sheet('3_7', null),
      sheet('4_7', 'b'),
      sheet('5_7', 'c'),
    ];
    expect([...accountOf([viewOf(MONDAY), rows]).byEmployee()]).toEqual([
      ['a', ['2_7']],
      ['b', ['4_7']],
      ['c', ['1_7', '5_7']],
    ]);
  });
});

describe('a timesheet', () => {
  test.each<[string, SourceRecord, Partial<Counted>]>([
    [
      'without an employee or a department',
      { employeeId: null, department: null },
      { employeeId: null, departmentId: null },
    ],
    ['with hours', { hoursToPay: 1.25 }, { hours: 1.25 }],
    ['without hours', { hoursToPay: null }, { hours: 0 }],
    ['clocked in', { clockIn: clocking() }, { lacksClockOut: true }],
    ['clocked in and out', { clockIn: clocking(), clockOut: clocking() }, { lacksClockOut: false }],
    ['clocked out alone', { clockOut: clocking() }, { lacksClockOut: false }],
    ['not clocked', {}, { lacksClockOut: false }],
    ['approved by payroll', { approvedPayroll: 'P-1' }, { payrollApproved: true, approved: false }],
    ['not approved by payroll', {}, { payrollApproved: false }],
  ])('%s is counted so', (_, values, counted) => {
    expect(countOne(storedRow(timesheet(values)))).toMatchObject(counted);
  });

  test('is counted with its epoch', () => {
    expect(countOne(storedRow(timesheet(), { epoch: NOW, sequence: 3 }))).toMatchObject({
      ...{ epoch: '2026-03-05T01:01:00.000Z', sequence: 3 },
    });
  });

  test('whose row lacks appended fields is counted without them', () => {
    const counted = countOne(storedRow(timesheet(), { text: '[]' }));
    expect(counted).toMatchObject({ employeeId: null, departmentId: null, date: null, hours: 0 });
  });

  test('of nobody is left out where members were asked for, and counted as unknown', () => {
    const members = { timesheets: new Set(['1_7', '2_7']), unknown: new Set<string>() };
    const account = new PeriodAccount();
    account.add(
      viewOf(DATE),
      ['1_7', '2_7'].map((id) => storedRow(timesheet({ id, employeeId: id === '1_7' ? null : '2001_7' }))),
    );
    const { counted, ...rest } = account.select(members);
    expect(counted.map(({ timesheetId }) => timesheetId)).toEqual(['2_7']);
    expect(rest).toEqual({ members: 'partly', membersUnknown: 1 });
    expect(account.select(null)).toMatchObject({ members: 'all', membersUnknown: 0 });
  });

  function countOne(row: StoredRow) {
    const account = new PeriodAccount();
    account.add(viewOf(DATE), [row]);
    return account.select(null).counted[0];
  }
});

type Values = Readonly<Record<string, unknown>> & { readonly id: string };

function manifestOf(sheets: readonly Values[], context: ClosingContext = { sharing: [], source: null }) {
  const account = new PeriodAccount();
  const rows = sheets.map(({ departmentId = '501_7', ...values }) =>
    storedRow(timesheet({ ...values, date: DATE, department: { id: departmentId } })),
  );
  account.add(viewOf(DATE), rows);
  return toManifest(account, context);
}

function missingOf(sheets: readonly Values[]) {
  const { leftovers } = manifestOf(sheets);
  return Object.fromEntries(leftovers.map(({ timesheetId, missing }) => [timesheetId, missing]));
}
