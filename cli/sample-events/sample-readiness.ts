import type { Readiness } from '#shared/readiness/readiness-data.ts';
import type { DueReadiness } from '#shared/readiness/readiness-moments.ts';

/** When a poll told how far the sample period was. */
export const READINESS_AT = '2026-11-15T19:00:20.284Z';

const AT = Date.parse('2026-11-15T19:00:00.000Z');
const BASELINE = '2026-11-08T18:58:00.000Z';

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
