import type { SourceRecord } from '#shared/core/records/fields.ts';

/** A record of the source as found at an instant (RFC 3339); null when it was removed. */
export interface Observation<Found> {
  readonly at: string;
  readonly found: Found | null;
}

/** An employee and a department with the fields of docs/source-api.md that are watched, and some that are not. */
export const SAMPLE_EMPLOYEE = {
  id: '2001_4711',
  contractedHours: [{ id: '60001_4711', day: 1, week: 1, department: { id: '501_4711', name: 'Kitchen' } }],
  firstNames: 'Ana',
  lastName: 'Lee',
  payRollCode: 'P0001',
} satisfies SourceRecord;
const OF_BAR = {
  ...SAMPLE_EMPLOYEE,
  contractedHours: [{ id: '60002_4711', day: 1, week: 1, department: { id: '502_4711', name: 'Bar' } }],
};
export const SAMPLE_DEPARTMENT = { id: '501_4711', name: 'Kitchen', manager: '' } satisfies SourceRecord;
const RENAMED = { ...SAMPLE_DEPARTMENT, name: 'Main Kitchen' };
const MANAGED = { ...RENAMED, manager: '2001_4711' };

export const EMPLOYEE_LIFE: readonly Observation<SourceRecord>[] = [
  { at: '2026-11-02T20:20:00.310Z', found: SAMPLE_EMPLOYEE },
  { at: '2026-11-09T20:40:00.284Z', found: OF_BAR },
  { at: '2026-11-20T03:00:00.297Z', found: null },
];
export const DEPARTMENT_LIFE: readonly Observation<SourceRecord>[] = [
  { at: '2026-11-02T20:20:01.112Z', found: SAMPLE_DEPARTMENT },
  { at: '2026-11-04T21:00:01.093Z', found: RENAMED },
  { at: '2026-11-05T01:20:01.130Z', found: MANAGED },
  { at: '2026-11-20T03:00:01.148Z', found: null },
];

/** A new timesheet with every field of docs/source-api.md, Timesheets. */
export const SAMPLE_TIMESHEET = {
  __type: 'TimesheetEntry',
  id: '910001_4711',
  approvedHours: null,
  approvedPayroll: null,
  casualJob: false,
  clockIn: null,
  clockOut: null,
  contractedHoursId: '901_4711',
  date: '2026-11-12',
  department: { id: '501_4711', name: 'Kitchen' },
  details: [
    {
      id: '8001_4711',
      activity: '301_4711',
      alternateDepartment: '',
      alternateOrganisation: '',
      startTime: '2026-11-11T20:00:00.000Z',
      finishTime: '2026-11-12T04:00:00.000Z',
      hours: 7.5,
      mealBreak: true,
      restBreak: false,
    },
  ],
  employeeId: '2001_4711',
  finishTime: '2026-11-12T04:00:00.000Z',
  hourlyRate: '$31.50',
  hoursToPay: 7.5,
  includesLeave: false,
  organisationPayRollId: '1_4711',
  organisationWorkedId: '1_4711',
  overnight: false,
  processed: null,
  role: { id: '601_4711', name: 'Cook' },
  shift: null,
  startTime: '2026-11-11T20:00:00.000Z',
} satisfies SourceRecord;

const CLOCKED_IN = {
  ...SAMPLE_TIMESHEET,
  clockIn: {
    id: '7001_4711',
    beacon: false,
    kiosk: true,
    localTime: '2026-11-12T09:01:30.000',
    overrideEmployee: null,
    overrideOrganisation: null,
    variance: 1.5,
  },
};
const CLOCK_IN_CORRECTED = {
  ...CLOCKED_IN,
  clockIn: { ...CLOCKED_IN.clockIn, localTime: '2026-11-12T09:00:00.000', kiosk: false, variance: 0 },
};
const CLOCKED_OUT = {
  ...CLOCK_IN_CORRECTED,
  clockOut: { ...CLOCKED_IN.clockIn, id: '7002_4711', localTime: '2026-11-12T17:04:10.000', variance: 4 },
};
const CLOCK_OUT_CORRECTED = {
  ...CLOCKED_OUT,
  clockOut: { ...CLOCKED_OUT.clockOut, localTime: '2026-11-12T17:30:00.000', kiosk: false, variance: 30 },
};
const APPROVED = { ...CLOCK_OUT_CORRECTED, approvedHours: '2026-11-12T21:15:08.000Z' };
const CHANGED = { ...APPROVED, finishTime: '2026-11-12T04:30:00.000Z', hoursToPay: 8 };
const PAYROLL_APPROVED = { ...CHANGED, approvedPayroll: 'PAYROLL-2026-11-15' };
const PROCESSED = { ...PAYROLL_APPROVED, processed: '2026-11-15T22:30:41.000Z' };

/** A timesheet to which everything happens and is then reversed, one change at a time. */
export const TIMESHEET_LIFE: readonly Observation<SourceRecord>[] = [
  { at: '2026-11-10T01:12:04.118Z', found: SAMPLE_TIMESHEET },
  { at: '2026-11-11T20:02:00.412Z', found: CLOCKED_IN },
  { at: '2026-11-11T20:41:01.077Z', found: CLOCK_IN_CORRECTED },
  { at: '2026-11-12T04:05:00.936Z', found: CLOCKED_OUT },
  { at: '2026-11-12T04:52:00.204Z', found: CLOCK_OUT_CORRECTED },
  { at: '2026-11-12T21:16:00.655Z', found: APPROVED },
  { at: '2026-11-12T22:03:01.310Z', found: CHANGED },
  { at: '2026-11-15T21:04:00.871Z', found: PAYROLL_APPROVED },
  { at: '2026-11-15T22:31:00.549Z', found: PROCESSED },
  { at: '2026-11-16T20:20:00.733Z', found: PAYROLL_APPROVED },
  { at: '2026-11-16T21:10:01.295Z', found: CHANGED },
  { at: '2026-11-16T21:11:00.487Z', found: { ...CHANGED, approvedHours: null } },
  { at: '2026-11-16T21:12:00.602Z', found: { ...CHANGED, approvedHours: null, clockOut: null } },
  {
    at: '2026-11-16T21:13:00.390Z',
    found: { ...CHANGED, approvedHours: null, clockIn: null, clockOut: null },
  },
  { at: '2026-11-16T21:14:01.814Z', found: null },
];

/** A later timesheet, without a clock-in and a clock-out when they were due. */
export const EXPECTED_TIMESHEET = {
  ...SAMPLE_TIMESHEET,
  id: '910044_4711',
  date: '2026-11-13',
  startTime: '2026-11-12T20:00:00.000Z',
  finishTime: '2026-11-13T04:00:00.000Z',
  details: [],
} satisfies SourceRecord;
const CAME_LATE = {
  ...EXPECTED_TIMESHEET,
  clockIn: { ...CLOCKED_IN.clockIn, id: '7044_4711', localTime: '2026-11-13T09:22:10.000', variance: 22 },
};
const LEFT = {
  ...CAME_LATE,
  clockOut: { ...CLOCKED_IN.clockIn, id: '7045_4711', localTime: '2026-11-13T17:00:00.000', variance: 0 },
};

export const ABSENCE_LIFE: readonly Observation<SourceRecord>[] = [
  { at: '2026-11-10T01:13:02.602Z', found: EXPECTED_TIMESHEET },
  { at: '2026-11-12T20:15:00.377Z', found: EXPECTED_TIMESHEET },
  { at: '2026-11-12T20:23:01.240Z', found: CAME_LATE },
  { at: '2026-11-13T07:00:01.853Z', found: CAME_LATE },
  { at: '2026-11-13T20:10:00.164Z', found: LEFT },
];

/** The pay period of that timesheet, with every field of docs/source-api.md, Pay periods. */
export const SAMPLE_PAY_PERIOD = {
  id: '3_4711',
  calendar: 'Weekly',
  startDate: '2026-11-09',
  finishDate: '2026-11-15',
  closed: null,
  hours: 1_912.5,
  numberEmployees: 51,
  numberTimesheets: 380,
  payRollCompanyId: '',
  payRollProvider: 'PaySys',
} satisfies SourceRecord;

/** When polls saw the period closed and reopened. */
export const CLOSED_AT = '2026-11-15T23:00:00.518Z';
/** When a poll saw that all its timesheets were processed. */
export const SETTLED_AT = '2026-11-16T20:05:00.377Z';
export const REOPENED_AT = '2026-11-16T21:00:00.146Z';

const PROVIDED = { ...SAMPLE_PAY_PERIOD, payRollCompanyId: '77_4711' };

/** A pay period to which everything happens. */
export const PAY_PERIOD_LIFE: readonly Observation<SourceRecord>[] = [
  { at: '2026-11-08T19:00:00.265Z', found: SAMPLE_PAY_PERIOD },
  { at: '2026-11-10T22:40:00.951Z', found: PROVIDED },
  { at: CLOSED_AT, found: { ...PROVIDED, closed: '2026-11-16' } },
  { at: SETTLED_AT, found: { ...PROVIDED, closed: '2026-11-16' } },
  { at: REOPENED_AT, found: PROVIDED },
  { at: '2026-11-17T01:30:00.327Z', found: null },
];
