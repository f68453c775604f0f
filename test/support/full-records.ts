import { departmentSchema, employeeSchema, payPeriodSchema, timesheetSchema } from '#local/source/schemas.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { detail, payPeriod, timesheet } from './builders.ts';

const CLOCKING = {
  id: '7001_1',
  beacon: false,
  kiosk: true,
  localTime: '2026-11-12T09:01:30.000',
  overrideEmployee: '2002_1',
  overrideOrganisation: '1_1',
  variance: 1.5,
};

/** Records in which every field has a value. */
export const FULL_RECORDS: Readonly<Record<FeedName, SourceRecord>> = {
  timesheets: timesheetSchema.parse({
    ...timesheet(),
    approvedHours: '2026-11-12T21:15:08.000Z',
    approvedPayroll: 'PAYROLL-1',
    processed: '2026-11-15T22:30:41.000Z',
    clockIn: CLOCKING,
    clockOut: { ...CLOCKING, id: '7002_1' },
    shift: { id: '401_1', name: 'Early' },
    details: [detail({ alternateDepartment: '502_1', alternateOrganisation: '2_1' })],
  }),
  'pay-periods': payPeriodSchema.parse({
    ...payPeriod(),
    // Also a year earlier its last date is not before the first.
    startDate: '2024-03-02',
    closed: '2026-11-16',
    payRollCompanyId: '77_1',
  }),
  employees: employeeSchema.parse({
    id: '2001_1',
    address: {
      id: '80001_1',
      line1: '1 Sample Street',
      line2: 'Level 2',
      suburb: 'Sampleton',
      city: 'Sample City',
      state: 'SC',
      postalCode: 6011,
      country: 'NZ',
    },
    contractedHours: [
      {
        id: '60001_1',
        day: 1,
        week: 1,
        department: { id: '501_1', name: 'Kitchen' },
        role: { id: '601_1', name: 'Cook' },
        shift: { id: '401_1', name: 'Early' },
        startTime: 'T08:30:00.000',
        finishTime: 'T17:00:00.000',
        minutesTotal: 510,
        minutesWorking: 480,
        workPattern: false,
      },
    ],
    firstNames: 'Ana',
    lastName: 'Lee',
    payRollCode: 'P0001',
  }),
  departments: departmentSchema.parse({
    id: '501_1',
    name: 'Kitchen',
    costCentreCode: 'C1',
    manager: '2001_1',
    payRollCode: 'K1',
    roles: [{ id: '601_1', name: 'Cook', costCentreCode: 'C2', defaultActivity: '301_1' }],
    workDayStartTime: '08:00',
    workDayFinishTime: '17:00',
  }),
};
