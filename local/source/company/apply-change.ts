import { addDays, toWallClock } from '#shared/core/dates.ts';
import type { ClockRecord, Timesheet } from '../schemas.ts';
import { buildTimesheet, withDate, withHours } from './build-timesheet.ts';
import {
  type ChangeOutcome,
  type ClockChange,
  type CompanyChange,
  type CorrectClockChange,
  type CreateChange,
  type CreatePeriodChange,
  type EditChange,
  type MarkChange,
  MEMBER_OF_MARK,
  type PeriodChange,
  type TimesheetChange,
} from './changes.ts';
import type { Company, StoredPayPeriod } from './company.ts';
import { FORTNIGHTLY, HEAD_OFFICE, PAYROLL_PROVIDER, WEEKLY } from './premises.ts';

const MINUTE_MS = 60_000;
const LAST_DAY_OF_WEEK = 6;
const DEFAULT_JOB = { start: 10 * 60, hours: 5 };
const DEFAULT_MORE_HOURS = 0.5;

/** Applies one change at the current instant. Nothing changes unless the outcome is `done`. */
export function applyChange(company: Company, change: CompanyChange): ChangeOutcome {
  switch (change.change) {
    case 'create':
      return createTimesheet(company, change);
    case 'create-pay-period':
      return createPayPeriod(company, change);
    case 'change-pay-period':
    case 'close-pay-period':
    case 'reopen-pay-period':
    case 'remove-pay-period': {
      const period = company.world.records['pay-periods'].get(change.id)?.latest ?? null;
      return period === null ? refuse(`nothing is ${change.id}`) : changePayPeriod(company, change, period);
    }
    default: {
      const timesheet = company.timesheet(change.id);
      return timesheet === undefined
        ? refuse(`nothing is ${change.id}`)
        : changeTimesheet(company, change, timesheet);
    }
  }
}

function createTimesheet(company: Company, change: CreateChange): ChangeOutcome {
  const { employeeId = company.staff[0]?.employee.id ?? '', start = DEFAULT_JOB.start } = change;
  const member = company.memberOf(employeeId);
  if (member === undefined) return refuse(`nobody is ${employeeId}`);
  const timesheet = buildTimesheet(company, {
    member,
    date: change.date ?? company.today(),
    start,
    finish: start + Math.round((change.hours ?? DEFAULT_JOB.hours) * 60),
    contract: null,
    leave: false,
    unassigned: change.unassigned ?? false,
  });
  return company.record('timesheets', 'create', timesheet.id, timesheet);
}

function changeTimesheet(company: Company, change: TimesheetChange, timesheet: Timesheet): ChangeOutcome {
  switch (change.change) {
    case 'change':
      return company.record('timesheets', change.change, timesheet.id, edit(change, timesheet));
    case 'clock-in':
    case 'clock-out':
      return clock(company, change, timesheet);
    case 'correct-clock-in':
    case 'correct-clock-out':
      return correctClock(company, change, timesheet);
    case 'remove':
      return company.record('timesheets', change.change, timesheet.id, null);
    default:
      return mark(company, change, timesheet);
  }
}

function edit(change: EditChange, timesheet: Timesheet): Timesheet {
  const hours =
    change.hours ?? (change.date === undefined ? timesheet.hoursToPay + DEFAULT_MORE_HOURS : undefined);
  const moved = change.date === undefined ? timesheet : withDate(timesheet, change.date);
  return hours === undefined ? moved : withHours(moved, hours);
}

/** Sets or clears one member. Refused when that would change nothing. */
function mark(company: Company, { change }: MarkChange, timesheet: Timesheet): ChangeOutcome {
  const member = MEMBER_OF_MARK[change];
  const value = computeMark(company, change);
  if ((timesheet[member] === null) === (value === null))
    return refuse(value === null ? `${member} is not set` : `${member} is set already`);
  return company.record('timesheets', change, timesheet.id, { ...timesheet, [member]: value });
}

function computeMark(company: Company, mark: MarkChange['change']): string | null {
  if (mark === 'approve' || mark === 'process') return new Date(company.now()).toISOString();
  return mark === 'approve-payroll' ? `PAYROLL-${company.today()}-${company.nextId('payroll')}` : null;
}

function clock(
  company: Company,
  { change, id: _, ...given }: ClockChange,
  timesheet: Timesheet,
): ChangeOutcome {
  const member = change === 'clock-in' ? 'clockIn' : 'clockOut';
  if (timesheet[member] !== null) return refuse(`${member} is set already`);
  const scheduled = scheduleOf(timesheet, member);
  const instant = given.variance === undefined ? company.now() : scheduled + given.variance * MINUTE_MS;
  const record: ClockRecord = {
    id: company.nextId('clock'),
    beacon: false,
    kiosk: false,
    localTime: toLocalText(company, instant),
    overrideEmployee: null,
    overrideOrganisation: null,
    // + 0 turns -0, for a few seconds early, into 0: JSON has no -0.
    variance: Math.round((instant - scheduled) / MINUTE_MS) + 0,
    ...given,
  };
  return company.record('timesheets', change, timesheet.id, { ...timesheet, [member]: record });
}

function correctClock(company: Company, change: CorrectClockChange, timesheet: Timesheet): ChangeOutcome {
  const member = change.change === 'correct-clock-in' ? 'clockIn' : 'clockOut';
  const record = timesheet[member];
  if (record === null) return refuse(`${member} is not set`);
  const variance = record.variance + change.minutes;
  const localTime = toLocalText(company, scheduleOf(timesheet, member) + variance * MINUTE_MS);
  return company.record('timesheets', change.change, timesheet.id, {
    ...timesheet,
    [member]: { ...record, variance, localTime },
  });
}

/** Without an offset. */
function toLocalText({ settings }: Company, instant: number): string {
  return new Date(toWallClock(instant, settings.timeZone)).toISOString().slice(0, -1);
}

/** The instant a clock record is measured against. */
function scheduleOf(timesheet: Timesheet, member: 'clockIn' | 'clockOut'): number {
  return Date.parse(member === 'clockIn' ? timesheet.startTime : timesheet.finishTime);
}

function createPayPeriod(company: Company, change: CreatePeriodChange): ChangeOutcome {
  const { startDate } = change;
  const id = company.nextId(change.calendar === FORTNIGHTLY ? 'fortnight' : 'payPeriod');
  return company.record('pay-periods', change.change, id, {
    id,
    calendar: change.calendar ?? WEEKLY,
    startDate,
    finishDate: change.finishDate ?? addDays(startDate, LAST_DAY_OF_WEEK),
    closed: null,
    payRollCompanyId: change.calendar === undefined ? HEAD_OFFICE : '',
    payRollProvider: PAYROLL_PROVIDER,
  });
}

/** Refused when that would change nothing. */
function changePayPeriod(company: Company, change: PeriodChange, period: StoredPayPeriod): ChangeOutcome {
  switch (change.change) {
    case 'change-pay-period': {
      const { change: kind, id, ...members } = change;
      return company.record('pay-periods', kind, id, { ...period, ...members });
    }
    case 'close-pay-period':
      if (period.closed !== null) return refuse('the pay period is closed already');
      return company.record('pay-periods', change.change, period.id, { ...period, closed: company.today() });
    case 'reopen-pay-period':
      if (period.closed === null) return refuse('the pay period is not closed');
      return company.record('pay-periods', change.change, period.id, { ...period, closed: null });
    case 'remove-pay-period':
      return company.record('pay-periods', change.change, period.id, null);
  }
}

function refuse(reason: string): ChangeOutcome {
  return { outcome: 'refused', reason };
}
