import { addDays } from '#shared/core/dates.ts';
import { applyChange } from '../company/apply-change.ts';
import { scheduleAt, scheduleIn, type World } from '../company/world.ts';
import type { Timesheet } from '../schemas.ts';

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
  readonly act: (world: World, timesheet: Timesheet) => void;
}

const DESK_TASKS: readonly DeskTask[] = [
  {
    name: 'no-show',
    time: [9, 5],
    days: [-2, -1],
    suits: ({ clockIn, includesLeave, approvedHours }) => !(clockIn || includesLeave || approvedHours),
    act: (world, { id }) => applyChange(world, { change: 'remove', id }),
  },
  {
    name: 'correct-clock-in',
    time: [9, 32],
    days: [-1, 0],
    suits: ({ clockIn }) => clockIn !== null,
    act: (world, { id }) =>
      applyChange(world, {
        change: 'correct-clock-in',
        id,
        minutes: world.chance.whole(`correct/${id}`, 2, 12),
      }),
  },
  {
    name: 're-enter-clock-in',
    time: [9, 51],
    days: [-1, 0],
    suits: ({ clockIn }) => clockIn !== null && clockIn.overrideEmployee === null,
    act: (world, timesheet) => reenter(world, timesheet, 'clock-in'),
  },
  {
    name: 'correct-clock-out',
    time: [10, 14],
    days: [-1, -1],
    suits: ({ clockOut }) => clockOut !== null,
    act: (world, { id }) =>
      applyChange(world, {
        change: 'correct-clock-out',
        id,
        minutes: -world.chance.whole(`correct/${id}`, 2, 12),
      }),
  },
  {
    name: 're-enter-clock-out',
    time: [10, 26],
    days: [-2, -1],
    suits: ({ clockOut }) => clockOut !== null && clockOut.overrideEmployee === null,
    act: (world, timesheet) => reenter(world, timesheet, 'clock-out'),
  },
  {
    name: 'move',
    time: [11, 8],
    days: [2, 9],
    suits: isUntouched,
    act: (world, { id, date }) => applyChange(world, { change: 'change', id, date: addDays(date, 1) }),
  },
  {
    name: 'hours',
    time: [11, 31],
    days: [-1, 9],
    suits: ({ approvedHours, includesLeave }) => approvedHours === null && !includesLeave,
    act: (world, timesheet) => changeHours(world, timesheet),
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
    act: (world, timesheet) => changeHours(world, timesheet),
  },
  {
    name: 'cancel',
    time: [15, 41],
    days: [1, 10],
    suits: isUntouched,
    act: (world, { id }) => applyChange(world, { change: 'remove', id }),
  },
];

/** Schedules the day's corrections of clock records, hours, dates and rosters. */
export function planCorrections(world: World, date: string): void {
  const count = Math.max(1, Math.round(world.size / EMPLOYEES_PER_CORRECTION));
  for (const { name, time, days, suits, act } of DESK_TASKS) {
    const [hour, minute] = time;
    scheduleAt(world, [date, hour * 60 + minute], () => {
      const [from, to] = days;
      const suitable = world.timesheets
        .between({ from: addDays(date, from), to: addDays(date, to) })
        .filter(suits);
      for (const timesheet of world.chance.some(`${name}/${date}`, suitable, count)) act(world, timesheet);
    });
  }
}

function isUntouched({ clockIn, approvedHours, includesLeave }: Timesheet): boolean {
  return clockIn === null && approvedHours === null && !includesLeave;
}

/** Removes a clock record and enters another by hand 14 minutes later, sometimes without a time. */
function reenter(world: World, timesheet: Timesheet, change: 'clock-in' | 'clock-out'): void {
  const { id, employeeId } = timesheet;
  const workplace = world.staffById.get(employeeId)?.workplace;
  applyChange(world, { change: `remove-${change}`, id });
  scheduleIn(world, 14 * MINUTE_SECONDS, () =>
    applyChange(world, {
      change,
      id,
      variance: world.chance.whole(`reenter/${id}`, -3, 6),
      overrideEmployee: workplace?.department.manager || null,
      overrideOrganisation: workplace?.organisation.id ?? null,
      timeless: world.chance.fraction(`timeless/${id}`) < 1 / 3,
    }),
  );
}

/** Approval revoked, hours changed, approved again within 25 minutes. */
function revokeAndCorrect(world: World, { id }: Timesheet): void {
  applyChange(world, { change: 'revoke-approval', id });
  scheduleIn(world, 10 * MINUTE_SECONDS, () => {
    const known = world.timesheets.get(id);
    if (known !== undefined) changeHours(world, known);
  });
  scheduleIn(world, 25 * MINUTE_SECONDS, () => applyChange(world, { change: 'approve', id }));
}

/** Adds 0.5 to 1.5 hours. */
export function changeHours(world: World, { id, hoursToPay }: Timesheet): void {
  const more = world.chance.whole(`more-hours/${id}/${world.now}`, 1, 3) / 2;
  applyChange(world, { change: 'change', id, hours: hoursToPay + more });
}
