import type { FeedName } from '#shared/core/feeds.ts';
import type { Settings } from '../settings.ts';
import { DEPARTMENT_STEPS, EMPLOYEE_STEPS, newDepartment, newEmployee } from './directory-steps.ts';
import { newPayPeriod, PAY_PERIOD_STEPS } from './pay-period-steps.ts';
import { newTimesheet, type Step, type StepContext, TIMESHEET_STEPS } from './timesheet-steps.ts';
import type { RawRecord } from './truth.ts';

/** How records of a feed come and change. */
interface RecordLife {
  readonly make: (id: string, context: StepContext) => RawRecord;
  readonly steps: readonly Step[];
  readonly maxRecords: number;
  /** What is set for a moment. `instant`: when. */
  readonly flap: (instant: string) => RawRecord;
}

export const LIVES: Readonly<Record<FeedName, RecordLife>> = {
  timesheets: {
    make: newTimesheet,
    steps: Object.values(TIMESHEET_STEPS),
    maxRecords: 40,
    // A stamp without an offset would be one of the connection's zone: an approval may have any, a closing the right one.
    flap: (instant) => ({ approvedHours: instant.slice(0, 23) }),
  },
  'pay-periods': {
    make: newPayPeriod,
    steps: Object.values(PAY_PERIOD_STEPS),
    maxRecords: 6,
    flap: (instant) => ({ closed: instant }),
  },
  employees: {
    make: newEmployee,
    steps: EMPLOYEE_STEPS,
    maxRecords: 40,
    flap: () => ({ contractedHours: [] }),
  },
  departments: {
    make: newDepartment,
    steps: DEPARTMENT_STEPS,
    maxRecords: 8,
    flap: () => ({ manager: '7_9' }),
  },
};

/** The feed with many records of a world, and the one with few. */
export function feedsOf({ directory }: Pick<Settings, 'directory'>): readonly [FeedName, FeedName] {
  return directory === true ? ['employees', 'departments'] : ['timesheets', 'pay-periods'];
}
