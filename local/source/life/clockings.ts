import type { Company } from '../company/company.ts';
import type { Timesheet } from '../schemas.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1000;
const NO_SHOW_SHARE = 0.02;
const FORGETS_TO_CLOCK_OUT_SHARE = 0.05;
/** Employees who come so many minutes later than the others. */
const LATE_SHARE = 0.02;
const LATE_MINUTES: readonly [number, number] = [16, 40];
const KIOSK_SHARE = 0.7;
const BEACON_SHARE = 0.85;
/** Earliest and latest minutes from the schedule. */
const CLOCK_IN_VARIANCE: readonly [number, number] = [-9, 12];
const CLOCK_OUT_VARIANCE: readonly [number, number] = [-4, 24];

/** Schedules the clock-ins and clock-outs of all timesheets of a date. */
export function planClockings(company: Company, date: string): void {
  for (const timesheet of company.timesheets({ from: date, to: date }))
    planTimesheetClockings(company, timesheet);
}

/** Nobody clocks in on a day of leave. */
function planTimesheetClockings(company: Company, timesheet: Timesheet): void {
  const { chance } = company;
  if (timesheet.includesLeave || chance.fraction(`no-show/${timesheet.id}`) < NO_SHOW_SHARE) return;
  planClocking(company, timesheet, 'clock-in');
  if (chance.fraction(`forgets/${timesheet.id}`) < FORGETS_TO_CLOCK_OUT_SHARE) return;
  planClocking(company, timesheet, 'clock-out');
}

function planClocking(company: Company, timesheet: Timesheet, change: 'clock-in' | 'clock-out'): void {
  const { chance } = company;
  const key = `${change}/${timesheet.id}`;
  const [from, to] = change === 'clock-in' ? CLOCK_IN_VARIANCE : CLOCK_OUT_VARIANCE;
  const scheduled = Date.parse(change === 'clock-in' ? timesheet.startTime : timesheet.finishTime);
  const variance =
    chance.whole(key, from, to) * MINUTE_MS + chance.whole(`${key}/seconds`, 0, 59) * SECOND_MS;
  const isLate = change === 'clock-in' && chance.fraction(`late/${timesheet.id}`) < LATE_SHARE;
  const delay = isLate ? chance.whole(`late-by/${timesheet.id}`, ...LATE_MINUTES) * MINUTE_MS : 0;
  const device = chance.fraction(`${key}/device`);
  company.schedule(scheduled + variance + delay, () => {
    const known = company.timesheet(timesheet.id);
    // Moved to another date or removed in the meantime.
    if (known?.date !== timesheet.date) return;
    if (change === 'clock-out' && known.clockIn === null) return;
    company.apply({
      change,
      id: known.id,
      kiosk: device < KIOSK_SHARE,
      beacon: device >= KIOSK_SHARE && device < BEACON_SHARE,
    });
  });
}

/** Schedules the casual jobs of a date, created in the morning, and their clockings. */
export function planCasualJobs(company: Company, date: string): void {
  const { chance, staff, settings } = company;
  const casuals = staff.filter(({ employee }) => employee.contractedHours.length === 0);
  const count = Math.max(2, Math.round(settings.size / 20));
  const called = chance.some(`casual/${date}`, casuals.length > 0 ? casuals : staff, count);
  for (const [index, { employee }] of called.entries()) {
    const key = `casual/${date}/${employee.id}`;
    const minute = 7 * 60 + 52 + chance.whole(`${key}/called`, 0, 25) + 13 * (index % 8);
    company.scheduleAt([date, minute], () => {
      const created = company.apply({
        change: 'create',
        employeeId: employee.id,
        start: (20 + chance.whole(`${key}/start`, 1, 4)) * 30,
        hours: chance.whole(`${key}/hours`, 3, 6),
        unassigned: chance.fraction(`${key}/unassigned`) < 1 / 3,
      });
      if (created.outcome === 'done' && created.record !== null && 'clockIn' in created.record)
        planTimesheetClockings(company, created.record);
    });
  }
}
