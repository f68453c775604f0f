import { addDays } from '#shared/core/dates.ts';
import type { Company } from '../company/company.ts';
import type { ClockRecord, Timesheet } from '../schemas.ts';
import { byManager } from './approvals.ts';

const MINUTE_SECONDS = 60;
/** One correction of each kind per day for this many employees. */
const EMPLOYEES_PER_CORRECTION = 40;

/** A correction made once a day: at which local time, on which dates in days from today, to which timesheets, and what. */
type DeskTask = readonly [
  time: readonly [hour: number, minute: number],
  name: string,
  days: readonly [from: number, to: number],
  suits: (timesheet: Timesheet) => boolean,
  act: (company: Company, timesheet: Timesheet) => void,
];

const DESK_TASKS: readonly DeskTask[] = [
  [[9, 5], 'no-show', [-2, -1], isUntouched, remove],
  [[9, 32], 'correct-clock-in', [-1, 0], ({ clockIn }) => clockIn !== null, correctClockIn],
  [[9, 51], 're-enter-clock-in', [-1, 0], ({ clockIn }) => isOwn(clockIn), reenter('clock-in')],
  [[10, 14], 'correct-clock-out', [-1, -1], ({ clockOut }) => clockOut !== null, correctClockOut],
  [[10, 26], 're-enter-clock-out', [-2, -1], ({ clockOut }) => isOwn(clockOut), reenter('clock-out')],
  [[11, 8], 'move', [2, 9], isUntouched, moveToNextDay],
  [[11, 31], 'hours', [-1, 9], (each) => each.approvedHours === null && !each.includesLeave, changeHours],
  [[14, 12], 'take-back', [-5, -1], isApproved, revokeAndCorrect],
  [[15, 9], 'hours-after-approval', [-5, -1], isApprovedAndUnpaid, changeHours],
  [[15, 41], 'cancel', [1, 10], isUntouched, remove],
];

/** Schedules the day's corrections of clock records, hours, dates and rosters. */
export function planCorrections(company: Company, date: string): void {
  const count = Math.max(1, Math.round(company.settings.size / EMPLOYEES_PER_CORRECTION));
  for (const [[hour, minute], name, [from, to], suits, act] of DESK_TASKS) {
    company.scheduleAt([date, hour * 60 + minute], () => {
      const dates = { from: addDays(date, from), to: addDays(date, to) };
      const suitable = company.timesheets(dates).filter(suits);
      for (const timesheet of company.chance.some(`${name}/${date}`, suitable, count))
        act(company, timesheet);
    });
  }
}

function isUntouched({ clockIn, approvedHours, includesLeave }: Timesheet): boolean {
  return clockIn === null && approvedHours === null && !includesLeave;
}

/** Clocked by the employee. */
function isOwn(clocking: ClockRecord | null): boolean {
  return clocking !== null && clocking.overrideEmployee === null;
}

/** Approved, and not by payroll yet. */
export function isApproved({ approvedHours, approvedPayroll }: Timesheet): boolean {
  return approvedHours !== null && approvedPayroll === null;
}

function isApprovedAndUnpaid({ approvedHours, processed }: Timesheet): boolean {
  return approvedHours !== null && processed === null;
}

function remove(company: Company, { id }: Timesheet): void {
  company.apply({ change: 'remove', id });
}

function moveToNextDay(company: Company, { id, date }: Timesheet): void {
  company.apply({ change: 'change', id, date: addDays(date, 1) });
}

function correctClockIn(company: Company, { id }: Timesheet): void {
  company.apply({ change: 'correct-clock-in', id, minutes: company.chance.whole(`correct/${id}`, 2, 12) });
}

function correctClockOut(company: Company, { id }: Timesheet): void {
  company.apply({ change: 'correct-clock-out', id, minutes: -company.chance.whole(`correct/${id}`, 2, 12) });
}

/** Removes a clock record and enters another by hand 14 minutes later, sometimes without a time. */
function reenter(change: 'clock-in' | 'clock-out') {
  return (company: Company, timesheet: Timesheet): void => {
    const { id } = timesheet;
    company.apply({ change: `remove-${change}`, id });
    company.scheduleIn(14 * MINUTE_SECONDS, () =>
      company.apply({
        change,
        id,
        variance: company.chance.whole(`reenter/${id}`, -3, 6),
        ...byManager(company, timesheet),
        ...(company.chance.fraction(`timeless/${id}`) < 1 / 3 && { localTime: null }),
      }),
    );
  };
}

/** Approval revoked, hours changed, approved again within 25 minutes. */
function revokeAndCorrect(company: Company, { id }: Timesheet): void {
  company.apply({ change: 'revoke-approval', id });
  company.scheduleIn(10 * MINUTE_SECONDS, () => changeHours(company, { id }));
  company.scheduleIn(25 * MINUTE_SECONDS, () => company.apply({ change: 'approve', id }));
}

/** Adds 0.5 to 1.5 hours to a timesheet that is still there. */
export function changeHours(company: Company, { id }: Pick<Timesheet, 'id'>): void {
  const hours = company.timesheet(id)?.hoursToPay;
  const more = company.chance.whole(`more-hours/${id}/${company.now()}`, 1, 3) / 2;
  if (hours !== undefined) company.apply({ change: 'change', id, hours: hours + more });
}
