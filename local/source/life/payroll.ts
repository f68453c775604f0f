import { addDays } from '#shared/core/dates.ts';
import { applyChange } from '../company/apply-change.ts';
import { scheduleAt, scheduleIn, type World } from '../company/world.ts';
import type { Timesheet } from '../schemas.ts';
import { runBurst } from './approvals.ts';

const MINUTE_SECONDS = 60;
const APPROVED_EARLY_SHARE = 0.25;
const WEEK_DAYS = 7;

/** Schedules the daily work of the payroll desk: early approvals, and casual jobs paid the day after. */
export function planPayrollDesk(world: World, date: string): void {
  scheduleAt(world, [date, 9 * 60 + 14], () => approveEarly(world, date));
  scheduleAt(world, [date, 13 * 60 + 2], () => payCasualJobs(world, date));
  scheduleAt(world, [date, 13 * 60 + 33], () => revokePayrollApproval(world, date));
}

function approveEarly(world: World, date: string): void {
  const records = listLastWeek(world, date).filter(
    ({ id, approvedHours, approvedPayroll, casualJob }) =>
      approvedHours !== null &&
      approvedPayroll === null &&
      (casualJob || world.chance.fraction(`early/${id}`) < APPROVED_EARLY_SHARE),
  );
  runBurst(world, { records, secondsApart: 4, afterSeconds: 0 }, ({ id }) =>
    applyChange(world, { change: 'approve-payroll', id }),
  );
}

/** Processes the approved casual jobs; one of them is reverted and processed again, as after a wrong bank account. */
function payCasualJobs(world: World, date: string): void {
  const records = listLastWeek(world, date).filter(
    ({ casualJob, approvedPayroll, processed }) =>
      casualJob && approvedPayroll !== null && processed === null,
  );
  runBurst(world, { records, secondsApart: 5, afterSeconds: 0 }, ({ id }) =>
    applyChange(world, { change: 'process', id }),
  );
  const [wrong] = world.chance.some(`wrong-account/${date}`, records, 1);
  if (wrong === undefined) return;
  const { id } = wrong;
  scheduleIn(world, 20 * MINUTE_SECONDS, () => applyChange(world, { change: 'revert-processing', id }));
  scheduleIn(world, 48 * MINUTE_SECONDS, () => applyChange(world, { change: 'process', id }));
}

function revokePayrollApproval(world: World, date: string): void {
  const suitable = listLastWeek(world, date).filter(
    ({ approvedPayroll, processed, casualJob }) =>
      approvedPayroll !== null && processed === null && !casualJob,
  );
  for (const { id } of world.chance.some(`payroll-back/${date}`, suitable, 1)) {
    applyChange(world, { change: 'revoke-payroll-approval', id });
    scheduleIn(world, 31 * MINUTE_SECONDS, () => applyChange(world, { change: 'approve-payroll', id }));
  }
}

function listLastWeek(world: World, date: string): Timesheet[] {
  return world.timesheets.between({ from: addDays(date, -WEEK_DAYS), to: addDays(date, -1) });
}
