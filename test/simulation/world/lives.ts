import type { RawRecord } from '#local/source/world/records.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { DEPARTMENT_STEPS, EMPLOYEE_STEPS, newDepartment, newEmployee } from './directory-steps.ts';
import { newPayPeriod, PAY_PERIOD_STEPS } from './pay-periods.ts';
import { newTimesheet, type Step, type StepContext, TIMESHEET_STEPS } from './timesheet-steps.ts';

/** How records of a feed come and change. */
interface RecordLife {
  readonly make: (id: string, context: StepContext) => RawRecord;
  readonly steps: readonly Step[];
  readonly maxRecords: number;
  /** What is set for a moment. `instant`: when. */
  readonly flap: (instant: string) => RawRecord;
  /** End of its ids. */
  readonly suffix: string;
}

export const LIVES: Readonly<Record<FeedName, RecordLife>> = {
  timesheets: {
    make: newTimesheet,
    steps: Object.values(TIMESHEET_STEPS),
    maxRecords: 40,
    flap: (instant) => ({ approvedHours: instant }),
    suffix: '1',
  },
  'pay-periods': {
    make: newPayPeriod,
    steps: Object.values(PAY_PERIOD_STEPS),
    maxRecords: 6,
    flap: (instant) => ({ closed: instant }),
    suffix: '2',
  },
  employees: {
    make: newEmployee,
    steps: EMPLOYEE_STEPS,
    maxRecords: 30,
    flap: () => ({ contractedHours: [] }),
    suffix: '3',
  },
  departments: {
    make: newDepartment,
    steps: DEPARTMENT_STEPS,
    maxRecords: 8,
    flap: () => ({ manager: '7_9' }),
    suffix: '4',
  },
};
