import { addDays } from '#shared/core/dates.ts';
import type { Company } from '../company/company.ts';
import type { Timesheet } from '../schemas.ts';
import { byManager } from './approvals.ts';

const MINUTE_SECONDS = 60;
/** One correction of each kind per day for this many employees. */
const EMPLOYEES_PER_CORRECTION = 40;

/** A correction made once a day: when, to which timesheets, and what. */
interface DeskTask {
  readonly name: string;
  /** Hours and minutes of the local day. */
  readonly time: readonly [number, number];
  /** Dates in days from today, inclusive. */
  readonly days: readonly [number, number];
  readonly suits: (timesheet: Timesheet) => boolean;
  readonly act: (company: Company, timesheet: Timesheet) => void;
}

const DESK_TASKS: readonly DeskTask[] = [
  {
    name: 'no-show',
    time: [9, 5],
    days: [-2, -1],
    suits: ({ clockIn, includesLeave, approvedHours }) => !(clockIn || includesLeave || approvedHours),
    act: (company, { id }) => company.apply({ change: 'remove', id }),
  },
  {
    name: 'correct-clock-in',
    time: [9, 32],
    days: [-1, 0],
    suits: ({ clockIn }) => clockIn !== null,
    act: (company, { id }) =>
      company.apply({
        change: 'correct-clock-in',
        id,
        minutes: company.chance.whole(`correct/${id}`, 2, 12),
      }),
  },
  {
    name: 're-enter-clock-in',
    time: [9, 51],
    days: [-1, 0],
    suits: ({ clockIn }) => clockIn !== null && clockIn.overrideEmployee === null,
    act: (company, timesheet) => reenter(company, timesheet, 'clock-in'),
  },
  {
    name: 'correct-clock-out',
    time: [10, 14],
    days: [-1, -1],
    suits: ({ clockOut }) => clockOut !== null,
    act: (company, { id }) =>
      company.apply({
        change: 'correct-clock-out',
        id,
        minutes: -company.chance.whole(`correct/${id}`, 2, 12),
      }),
  },
  {
    name: 're-enter-clock-out',
    time: [10, 26],
    days: [-2, -1],
    suits: ({ clockOut }) => clockOut !== null && clockOut.overrideEmployee === null,
    act: (company, timesheet) => reenter(company, timesheet, 'clock-out'),
  },
  {
    name: 'move',
    time: [11, 8],
    days: [2, 9],
    suits: isUntouched,
    act: (company, { id, date }) => company.apply({ change: 'change', id, date: addDays(date, 1) }),
  },
  {
    name: 'hours',
    time: [11, 31],
    days: [-1, 9],
    suits: ({ approvedHours, includesLeave }) => approvedHours === null && !includesLeave,
    act: (company, { id }) => changeHours(company, id),
  },
  {
    name: 'take-back',
    time: [14, 12],
    days: [-5, -1],
    suits: ({ approvedHours, approvedPayroll }) => approvedHours !== null && approvedPayroll === null,
    act: revokeAndCorrect,
  },
  {
    name: 'hours-after-approval',
    time: [15, 9],
    days: [-5, -1],
    suits: ({ approvedHours, processed }) => approvedHours !== null && processed === null,
    act: (company, { id }) => changeHours(company, id),
  },
  {
    name: 'cancel',
    time: [15, 41],
    days: [1, 10],
    suits: isUntouched,
    act: (company, { id }) => company.apply({ change: 'remove', id }),
  },
];

/** Schedules the day's corrections of clock records, hours, dates and rosters. */
export function planCorrections(company: Company, date: string): void {
  const count = Math.max(1, Math.round(company.settings.size / EMPLOYEES_PER_CORRECTION));
  for (const { name, time, days, suits, act } of DESK_TASKS) {
    const [hour, minute] = time;
    company.scheduleAt([date, hour * 60 + minute], () => {
      const [from, to] = days;
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

/** Removes a clock record and enters another by hand 14 minutes later, sometimes without a time. */
function reenter(company: Company, timesheet: Timesheet, change: 'clock-in' | 'clock-out'): void {
  const { id } = timesheet;
  company.apply({ change: `remove-${change}`, id });
  company.scheduleIn(14 * MINUTE_SECONDS, () =>
    company.apply({
      change,
      id,
      variance: company.chance.whole(`reenter/${id}`, -3, 6),
      ...byManager(company, timesheet),
      timeless: company.chance.fraction(`timeless/${id}`) < 1 / 3,
    }),
  );
}

/** Approval revoked, hours changed, approved again within 25 minutes. */
function revokeAndCorrect(company: Company, { id }: Timesheet): void {
  company.apply({ change: 'revoke-approval', id });
  company.scheduleIn(10 * MINUTE_SECONDS, () => changeHours(company, id));
  company.scheduleIn(25 * MINUTE_SECONDS, () => company.apply({ change: 'approve', id }));
}

/** Adds 0.5 to 1.5 hours to a timesheet that is still there. */
export function changeHours(company: Company, id: string): void {
  const hours = company.timesheet(id)?.hoursToPay;
  const more = company.chance.whole(`more-hours/${id}/${company.now()}`, 1, 3) / 2;
  if (hours !== undefined) company.apply({ change: 'change', id, hours: hours + more });
}
