import { addDays } from '#shared/core/dates.ts';
import { applyChange } from '../company/apply-change.ts';
import { scheduleAt, scheduleIn, todayOf, type World } from '../company/world.ts';
import type { Timesheet } from '../schemas.ts';

/** When the first manager begins to approve (minutes after local midnight), and which share is approved. */
const SESSIONS = [
  { name: 'morning', minute: 8 * 60 + 5, share: 0.9 },
  { name: 'afternoon', minute: 16 * 60 + 25, share: 0.5 },
] as const;
const SESSION_SPREAD_MINUTES = 90;
const LOOK_BACK_DAYS = 3;
const QUESTIONED_SHARE = 0.03;

/** Every manager approves finished timesheets in two bursts: in the afternoon and the next morning. */
export function planApprovals(world: World, date: string): void {
  const { workplaces } = world.premises;
  for (const [index, { department }] of workplaces.entries()) {
    const delay = Math.floor((SESSION_SPREAD_MINUTES * index) / workplaces.length);
    for (const session of SESSIONS) {
      const key = `${session.name}/${date}/${department.id}`;
      const minute = session.minute + delay + world.chance.whole(key, 0, 9);
      scheduleAt(world, [date, minute], () => approveDepartment(world, department.id, session));
    }
  }
}

function approveDepartment(
  world: World,
  departmentId: string,
  { name, share }: (typeof SESSIONS)[number],
): void {
  const today = todayOf(world);
  const own = listFinished(world, addDays(today, -LOOK_BACK_DAYS), today).filter(
    (timesheet) => approverOf(world, timesheet) === departmentId,
  );
  if (name === 'morning') enterForgottenClockOuts(world, own);
  const ready = own.filter(
    ({ id, clockIn, includesLeave }) =>
      (clockIn !== null || includesLeave) &&
      !isQuestioned(world, id) &&
      world.chance.fraction(`${name}/${today}/${id}`) < share,
  );
  runBurst(world, { records: ready, secondsApart: 6, afterSeconds: 90 }, ({ id }) =>
    applyChange(world, { change: 'approve', id }),
  );
}

/** The department whose manager approves a timesheet: its own, or else that of the employee. */
function approverOf(world: World, { department, employeeId }: Timesheet): string | undefined {
  return department?.id ?? world.staffById.get(employeeId)?.workplace.department.id;
}

function enterForgottenClockOuts(world: World, timesheets: readonly Timesheet[]): void {
  const forgotten = timesheets.filter(({ clockIn, clockOut }) => clockIn !== null && clockOut === null);
  runBurst(world, { records: forgotten, secondsApart: 20, afterSeconds: 0 }, ({ id, employeeId }) => {
    const workplace = world.staffById.get(employeeId)?.workplace;
    applyChange(world, {
      change: 'clock-out',
      id,
      variance: 0,
      overrideEmployee: workplace?.department.manager || null,
      overrideOrganisation: workplace?.organisation.id ?? null,
    });
  });
}

/** Whether the approval of a timesheet waits for an answer of the employee, until after its period is closed. */
export function isQuestioned(world: World, id: string): boolean {
  return world.chance.fraction(`questioned/${id}`) < QUESTIONED_SHARE;
}

/** Timesheets of these dates that are over and not approved yet. */
export function listFinished(world: World, from: string, to: string): Timesheet[] {
  const now = new Date(world.now).toISOString();
  return world.timesheets
    .between({ from, to })
    .filter(({ approvedHours, finishTime }) => approvedHours === null && finishTime <= now);
}

interface Burst {
  readonly records: readonly Timesheet[];
  readonly secondsApart: number;
  readonly afterSeconds: number;
}

/** Runs a task for many timesheets, a few seconds apart, like a person clicking through a list. */
export function runBurst(world: World, list: Burst, task: (timesheet: Timesheet) => void): void {
  for (const [index, timesheet] of list.records.entries()) {
    scheduleIn(world, list.afterSeconds + index * list.secondsApart, () => {
      const known = world.timesheets.get(timesheet.id);
      if (known !== undefined) task(known);
    });
  }
}
