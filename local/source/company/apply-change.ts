import type { ClockRecord, Timesheet } from '../schemas.ts';
import { buildTimesheet, roundHours, withDate, withHours } from './build-timesheet.ts';
import type {
  ChangeOutcome,
  ClockChange,
  CompanyChange,
  CorrectClockChange,
  CreateChange,
  EditChange,
  MarkChange,
} from './changes.ts';
import { createPayPeriod, editPayPeriod, endPayPeriod } from './pay-period-changes.ts';
import { nextId, recordHistory, todayOf, type World } from './world.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DEFAULT_JOB = { start: 10 * HOUR_MINUTES, hours: 5 };
const DEFAULT_MORE_HOURS = 0.5;
const DEFAULT_CORRECTION_MINUTES = 5;

/** The member that each mark sets or clears. */
const MEMBER_OF_MARK = {
  approve: 'approvedHours',
  'revoke-approval': 'approvedHours',
  'approve-payroll': 'approvedPayroll',
  'revoke-payroll-approval': 'approvedPayroll',
  process: 'processed',
  'revert-processing': 'processed',
  'remove-clock-in': 'clockIn',
  'remove-clock-out': 'clockOut',
} as const satisfies Record<MarkChange['change'], keyof Timesheet>;

function createTimesheet(world: World, change: CreateChange): ChangeOutcome {
  const employeeId = change.employeeId ?? world.staff[0]?.employee.id ?? '';
  const member = world.staffById.get(employeeId);
  if (member === undefined) return { outcome: 'unknown', id: employeeId };
  const start = change.start ?? DEFAULT_JOB.start;
  const timesheet = buildTimesheet(world, {
    member,
    date: change.date ?? todayOf(world),
    start,
    finish: start + Math.round((change.hours ?? DEFAULT_JOB.hours) * HOUR_MINUTES),
    contract: null,
    leave: false,
    unassigned: change.unassigned ?? false,
  });
  return done(world, change.change, timesheet);
}

function editTimesheet(world: World, change: EditChange, timesheet: Timesheet): ChangeOutcome {
  const hours =
    change.hours ?? (change.date === undefined ? timesheet.hoursToPay + DEFAULT_MORE_HOURS : undefined);
  const moved = change.date === undefined ? timesheet : withDate(world, timesheet, change.date);
  return done(world, change.change, hours === undefined ? moved : withHours(moved, roundHours(hours)));
}

/** Sets or clears one member. Refused when that would change nothing. */
function markTimesheet(world: World, change: MarkChange, timesheet: Timesheet): ChangeOutcome {
  const member = MEMBER_OF_MARK[change.change];
  const value = computeMarkValue(world, change.change);
  const isSet = timesheet[member] !== null;
  if (isSet && value !== null) return { outcome: 'refused', reason: `${member} is set already` };
  if (!isSet && value === null) return { outcome: 'refused', reason: `${member} is not set` };
  return done(world, change.change, { ...timesheet, [member]: value });
}

function computeMarkValue(world: World, mark: MarkChange['change']): string | null {
  switch (mark) {
    case 'approve':
    case 'process':
      return new Date(world.now).toISOString();
    case 'approve-payroll':
      return `PAYROLL-${todayOf(world)}-${nextId(world, 'payroll')}`;
    case 'revoke-approval':
    case 'revoke-payroll-approval':
    case 'revert-processing':
    case 'remove-clock-in':
    case 'remove-clock-out':
      return null;
  }
}

function clockTimesheet(world: World, change: ClockChange, timesheet: Timesheet): ChangeOutcome {
  const member = change.change === 'clock-in' ? 'clockIn' : 'clockOut';
  if (timesheet[member] !== null) return { outcome: 'refused', reason: `${member} is set already` };
  const scheduled = scheduleOf(timesheet, member);
  // + 0 turns -0, for a few seconds early, into 0: JSON has no -0.
  const variance = change.variance ?? Math.round((world.now - scheduled) / MINUTE_MS) + 0;
  const instant = change.variance === undefined ? world.now : scheduled + variance * MINUTE_MS;
  const record: ClockRecord = {
    id: nextId(world, 'clock'),
    beacon: change.beacon ?? false,
    kiosk: change.kiosk ?? false,
    localTime: change.timeless === true ? null : world.calendar.textOf(instant),
    overrideEmployee: change.overrideEmployee ?? null,
    overrideOrganisation: change.overrideOrganisation ?? null,
    variance,
  };
  return done(world, change.change, { ...timesheet, [member]: record });
}

function correctClock(world: World, change: CorrectClockChange, timesheet: Timesheet): ChangeOutcome {
  const member = change.change === 'correct-clock-in' ? 'clockIn' : 'clockOut';
  const record = timesheet[member];
  if (record === null) return { outcome: 'refused', reason: `${member} is not set` };
  const variance = record.variance + (change.minutes ?? DEFAULT_CORRECTION_MINUTES);
  const localTime = world.calendar.textOf(scheduleOf(timesheet, member) + variance * MINUTE_MS);
  return done(world, change.change, { ...timesheet, [member]: { ...record, variance, localTime } });
}

function removeTimesheet(world: World, timesheet: Timesheet): ChangeOutcome {
  world.timesheets.remove(timesheet.id);
  recordHistory(world, 'remove', timesheet.id);
  return { outcome: 'done', record: null };
}

/** The instant a clock record is measured against. */
function scheduleOf(timesheet: Timesheet, member: 'clockIn' | 'clockOut'): number {
  return Date.parse(member === 'clockIn' ? timesheet.startTime : timesheet.finishTime);
}

function done(
  world: World,
  change: Parameters<typeof recordHistory>[1],
  timesheet: Timesheet,
): ChangeOutcome {
  world.timesheets.put(timesheet);
  recordHistory(world, change, timesheet.id);
  return { outcome: 'done', record: timesheet };
}

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
