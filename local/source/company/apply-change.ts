import type { Timesheet } from '../schemas.ts';
import type { ChangeOutcome, CompanyChange } from './changes.ts';
import { createPayPeriod, editPayPeriod, endPayPeriod } from './pay-period-changes.ts';
import {
  clockTimesheet,
  correctClock,
  createTimesheet,
  editTimesheet,
  markTimesheet,
  removeTimesheet,
} from './timesheet-changes.ts';
import type { World } from './world.ts';

/** Applies one change at the current instant. Nothing changes unless the outcome is `done`. */
export function applyChange(world: World, change: CompanyChange): ChangeOutcome {
  switch (change.change) {
    case 'create':
      return createTimesheet(world, change);
    case 'create-pay-period':
      return createPayPeriod(world, change);
    case 'change-pay-period':
    case 'close-pay-period':
    case 'reopen-pay-period':
    case 'remove-pay-period': {
      const period = world.payPeriods.get(change.id);
      if (period === undefined) return { outcome: 'unknown', id: change.id };
      if (change.change === 'change-pay-period') return editPayPeriod(world, change, period);
      return endPayPeriod(world, change, period);
    }
    default: {
      const timesheet = world.timesheets.get(change.id);
      if (timesheet === undefined) return { outcome: 'unknown', id: change.id };
      return applyToTimesheet(world, change, timesheet);
    }
  }
}

type TimesheetChange = Exclude<CompanyChange, { change: 'create' | `${string}-pay-period` }>;

function applyToTimesheet(world: World, change: TimesheetChange, timesheet: Timesheet): ChangeOutcome {
  switch (change.change) {
    case 'change':
      return editTimesheet(world, change, timesheet);
    case 'clock-in':
    case 'clock-out':
      return clockTimesheet(world, change, timesheet);
    case 'correct-clock-in':
    case 'correct-clock-out':
      return correctClock(world, change, timesheet);
    case 'remove':
      return removeTimesheet(world, timesheet);
    default:
      return markTimesheet(world, change, timesheet);
  }
}
