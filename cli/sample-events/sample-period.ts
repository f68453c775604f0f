import { type PeriodCount, planStatement, type StatementPlan } from '#shared/core/events/plan-statement.ts';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import type { Readiness } from '#shared/core/periods/readiness-data.ts';
import type { DueReadiness } from '#shared/period/readiness-moments.ts';
import { CLOSED_AT } from './sample-lives.ts';

/** When a poll reported how far the sample period was. */
export const READINESS_AT = '2026-11-15T19:00:20.284Z';

const AT = Date.parse('2026-11-15T19:00:00.000Z');
/** Start of the baseline of the samples. */
export const BASELINE = '2026-11-08T18:58:00.000Z';

/** Four hours before Monday noon in Auckland. */
export const SAMPLE_DUE: DueReadiness = {
  deadline: Date.parse('2026-11-15T23:00:00.000Z'),
  reminder: { before: '4h', at: AT },
  summaries: [],
  momentAt: AT,
  through: '2026-11-15',
};

export const SAMPLE_READINESS: Readiness = {
  through: '2026-11-15',
  complete: true,
  missing: null,
  asOf: '2026-11-15T18:56:02.118Z',
  members: 'all',
  membersUnknown: 0,
  sharesDatesWith: [],
  timesheets: 380,
  employees: 51,
  approved: 376,
  unapproved: 4,
  unapprovedEmployees: 3,
  unapprovedHours: 29,
  hoursToPay: 1_912.5,
  payrollUnapproved: 12,
  departments: 2,
  byDepartment: [
    {
      departmentId: '501_4711',
      timesheets: 212,
      unapproved: 3,
      unapprovedEmployees: 2,
      unapprovedHours: 22,
    },
    {
      departmentId: '502_4711',
      timesheets: 168,
      unapproved: 1,
      unapprovedEmployees: 1,
      unapprovedHours: 7,
    },
  ],
  waiting: [
    {
      timesheetId: '910117_4711',
      epoch: BASELINE,
      sequence: 3,
      employeeId: '2018_4711',
      departmentId: '501_4711',
      date: '2026-11-13',
      hours: 8,
      missing: ['approval'],
    },
    {
      timesheetId: '910198_4711',
      epoch: BASELINE,
      sequence: 2,
      employeeId: '2018_4711',
      departmentId: '501_4711',
      date: '2026-11-14',
      hours: 7.5,
      missing: ['clock_out', 'approval'],
    },
    {
      timesheetId: '910203_4711',
      epoch: BASELINE,
      sequence: 3,
      employeeId: '2024_4711',
      departmentId: '501_4711',
      date: '2026-11-14',
      hours: 6.5,
      missing: ['approval'],
    },
    {
      timesheetId: '910340_4711',
      epoch: BASELINE,
      sequence: 3,
      employeeId: '2031_4711',
      departmentId: '502_4711',
      date: '2026-11-15',
      hours: 7,
      missing: ['approval'],
    },
  ],
};

/** The timesheets of the sample period when it closed. */
export const SAMPLE_MANIFEST: CloseManifest = {
  complete: true,
  missing: null,
  asOf: '2026-11-15T22:58:30.412Z',
  timesheets: 380,
  employees: 51,
  approved: 378,
  unapproved: 2,
  processed: 377,
  unprocessed: 3,
  hoursToPay: 1_912.5,
  members: 'all',
  membersUnknown: 0,
  sharesDatesWith: [],
  source: { timesheets: 380, employees: 51, hours: 1_912.5 },
  addsUp: true,
  difference: { timesheets: 0, employees: 0, hours: 0 },
  departments: 2,
  byDepartment: [
    {
      departmentId: '501_4711',
      timesheets: 212,
      employees: 30,
      hours: 1_078.5,
      unapproved: 2,
      unprocessed: 2,
    },
    { departmentId: '502_4711', timesheets: 168, employees: 24, hours: 834, unapproved: 0, unprocessed: 1 },
  ],
  leftovers: [
    {
      timesheetId: '910117_4711',
      epoch: BASELINE,
      sequence: 5,
      employeeId: '2018_4711',
      departmentId: '501_4711',
      date: '2026-11-13',
      hours: 8,
      approved: false,
      processed: false,
      missing: ['approval', 'payroll_approval', 'processing'],
    },
    {
      timesheetId: '910203_4711',
      epoch: BASELINE,
      sequence: 4,
      employeeId: '2024_4711',
      departmentId: '501_4711',
      date: '2026-11-14',
      hours: 6.5,
      approved: false,
      processed: false,
      missing: ['approval', 'payroll_approval', 'processing'],
    },
    {
      timesheetId: '910311_4711',
      epoch: BASELINE,
      sequence: 8,
      employeeId: '2031_4711',
      departmentId: '502_4711',
      date: '2026-11-14',
      hours: 7.5,
      approved: true,
      processed: false,
      missing: ['processing'],
    },
  ],
};

const CLOSED: PeriodCount = {
  manifest: SAMPLE_MANIFEST,
  members: [
    { id: '910117_4711', hoursToPay: 8 },
    { id: '910203_4711', hoursToPay: 6.5 },
  ],
};

const ANA = { employeeId: '2018_4711', departmentId: '501_4711' };
const BEN = { employeeId: '2024_4711', departmentId: '501_4711' };

/** The same period when all of it is processed: the two that were not approved came to more. */
const SETTLED: PeriodCount = {
  manifest: {
    ...SAMPLE_MANIFEST,
    asOf: '2026-11-16T20:03:30.020Z',
    ...{ approved: 380, unapproved: 0, processed: 380, unprocessed: 0, hoursToPay: 1_914.5 },
    source: { timesheets: 380, employees: 51, hours: 1_914.5 },
    byDepartment: (SAMPLE_MANIFEST.byDepartment ?? []).map((each, index) => ({
      ...each,
      ...{ hours: each.hours + (index === 0 ? 2 : 0), unapproved: 0, unprocessed: 0 },
    })),
    leftovers: [],
  },
  members: [
    { id: '910117_4711', hoursToPay: 9.5, ...ANA, date: '2026-11-13' },
    { id: '910203_4711', hoursToPay: 7, ...BEN, date: '2026-11-14' },
  ],
};

/** The final statement of the sample period. */
export function planSampleStatement(): StatementPlan {
  const closing = { kind: 'closing', at: Date.parse(CLOSED_AT) } as const;
  const { memory, ledger } = planStatement(closing, { memory: null, ledger: null }, CLOSED);
  return planStatement({ kind: 'final', settledBy: 'processed' }, { memory, ledger }, SETTLED);
}
