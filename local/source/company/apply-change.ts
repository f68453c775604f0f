import { addDays } from '#shared/core/dates.ts';
import type { ClockRecord, Timesheet } from '../schemas.ts';
import { buildTimesheet, roundHours, withDate, withHours } from './build-timesheet.ts';
import type {
  ChangeKind,
  ChangeOutcome,
  ClockChange,
  CompanyChange,
  CorrectClockChange,
  CreateChange,
  CreatePeriodChange,
  EditChange,
  MarkChange,
  PeriodChange,
  TimesheetChange,
} from './changes.ts';
import type { Company, StoredPayPeriod } from './company.ts';
import { FORTNIGHTLY, HEAD_OFFICE, PAYROLL_PROVIDER, WEEKLY } from './premises.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const LAST_DAY_OF_WEEK = 6;
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
      if (period === null) return { outcome: 'unknown', id: change.id };
      return changePayPeriod(company, change, period);
    }
    default: {
      const timesheet = company.timesheet(change.id);
      if (timesheet === undefined) return { outcome: 'unknown', id: change.id };
      return changeTimesheet(company, change, timesheet);
    }
  }
}

function createTimesheet(company: Company, change: CreateChange): ChangeOutcome {
  const employeeId = change.employeeId ?? company.staff[0]?.employee.id ?? '';
  const member = company.memberOf(employeeId);
  if (member === undefined) return { outcome: 'unknown', id: employeeId };
  const start = change.start ?? DEFAULT_JOB.start;
  const timesheet = buildTimesheet(company, {
    member,
    date: change.date ?? company.today(),
    start,
    finish: start + Math.round((change.hours ?? DEFAULT_JOB.hours) * HOUR_MINUTES),
    contract: null,
    leave: false,
    unassigned: change.unassigned ?? false,
  });
  return keepTimesheet(company, change.change, timesheet);
}

function changeTimesheet(company: Company, change: TimesheetChange, timesheet: Timesheet): ChangeOutcome {
  switch (change.change) {
    case 'change':
      return keepTimesheet(company, change.change, edit(company, change, timesheet));
    case 'clock-in':
    case 'clock-out':
      return clock(company, change, timesheet);
    case 'correct-clock-in':
    case 'correct-clock-out':
      return correctClock(company, change, timesheet);
    case 'remove':
      company.record('timesheets', { ...change, record: null });
      return { outcome: 'done', record: null };
    default:
      return mark(company, change, timesheet);
  }
}

function edit(company: Company, change: EditChange, timesheet: Timesheet): Timesheet {
  const hours =
    change.hours ?? (change.date === undefined ? timesheet.hoursToPay + DEFAULT_MORE_HOURS : undefined);
  const moved = change.date === undefined ? timesheet : withDate(company, timesheet, change.date);
  return hours === undefined ? moved : withHours(moved, roundHours(hours));
}

/** Sets or clears one member. Refused when that would change nothing. */
function mark(company: Company, { change }: MarkChange, timesheet: Timesheet): ChangeOutcome {
  const member = MEMBER_OF_MARK[change];
  const value = computeMark(company, change);
  if ((timesheet[member] === null) === (value === null))
    return refuse(value === null ? `${member} is not set` : `${member} is set already`);
  return keepTimesheet(company, change, { ...timesheet, [member]: value });
}

function computeMark(company: Company, mark: MarkChange['change']): string | null {
  if (mark === 'approve' || mark === 'process') return new Date(company.now()).toISOString();
  return mark === 'approve-payroll' ? `PAYROLL-${company.today()}-${company.nextId('payroll')}` : null;
}

function clock(company: Company, change: ClockChange, timesheet: Timesheet): ChangeOutcome {
  const member = change.change === 'clock-in' ? 'clockIn' : 'clockOut';
  if (timesheet[member] !== null) return refuse(`${member} is set already`);
  const scheduled = scheduleOf(timesheet, member);
  // + 0 turns -0, for a few seconds early, into 0: JSON has no -0.
  const variance = change.variance ?? Math.round((company.now() - scheduled) / MINUTE_MS) + 0;
  const instant = change.variance === undefined ? company.now() : scheduled + variance * MINUTE_MS;
  const record: ClockRecord = {
    id: company.nextId('clock'),
    beacon: change.beacon ?? false,
    kiosk: change.kiosk ?? false,
    localTime: change.timeless === true ? null : company.calendar.textOf(instant),
    overrideEmployee: change.overrideEmployee ?? null,
    overrideOrganisation: change.overrideOrganisation ?? null,
    variance,
  };
  return keepTimesheet(company, change.change, { ...timesheet, [member]: record });
}

function correctClock(company: Company, change: CorrectClockChange, timesheet: Timesheet): ChangeOutcome {
  const member = change.change === 'correct-clock-in' ? 'clockIn' : 'clockOut';
  const record = timesheet[member];
  if (record === null) return refuse(`${member} is not set`);
  const variance = record.variance + (change.minutes ?? DEFAULT_CORRECTION_MINUTES);
  const localTime = company.calendar.textOf(scheduleOf(timesheet, member) + variance * MINUTE_MS);
  return keepTimesheet(company, change.change, {
    ...timesheet,
    [member]: { ...record, variance, localTime },
  });
}

/** The instant a clock record is measured against. */
function scheduleOf(timesheet: Timesheet, member: 'clockIn' | 'clockOut'): number {
  return Date.parse(member === 'clockIn' ? timesheet.startTime : timesheet.finishTime);
}

function createPayPeriod(company: Company, change: CreatePeriodChange): ChangeOutcome {
  const startDate = change.startDate ?? findNextStartDate(company);
  return keepPayPeriod(company, change.change, {
    id: company.nextId(change.calendar === FORTNIGHTLY ? 'fortnight' : 'payPeriod'),
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
      const { change: kind, calendar, startDate, finishDate } = change;
      const isSame = calendar === undefined && startDate === undefined && finishDate === undefined;
      return keepPayPeriod(company, kind, {
        ...period,
        calendar: isSame ? `${period.calendar} (renamed)` : (calendar ?? period.calendar),
        startDate: startDate ?? period.startDate,
        finishDate: finishDate ?? period.finishDate,
      });
    }
    case 'close-pay-period':
      if (period.closed !== null) return refuse('the pay period is closed already');
      return keepPayPeriod(company, change.change, { ...period, closed: company.today() });
    case 'reopen-pay-period':
      if (period.closed === null) return refuse('the pay period is not closed');
      return keepPayPeriod(company, change.change, { ...period, closed: null });
    case 'remove-pay-period':
      company.record('pay-periods', { ...change, record: null });
      return { outcome: 'done', record: null };
  }
}

function findNextStartDate(company: Company): string {
  const weeks = company.world.records['pay-periods'].list().filter(({ calendar }) => calendar === WEEKLY);
  const last = weeks
    .map(({ finishDate }) => finishDate)
    .sort()
    .at(-1);
  return last === undefined ? company.today() : addDays(last, 1);
}

function keepTimesheet(company: Company, change: ChangeKind, record: Timesheet): ChangeOutcome {
  company.record('timesheets', { change, id: record.id, record });
  return { outcome: 'done', record };
}

function keepPayPeriod(company: Company, change: ChangeKind, period: StoredPayPeriod): ChangeOutcome {
  company.record('pay-periods', { change, id: period.id, record: period });
  return { outcome: 'done', record: { ...period, ...company.world.totals(period.id) } };
}

function refuse(reason: string): ChangeOutcome {
  return { outcome: 'refused', reason };
}
