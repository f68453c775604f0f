import { addDays } from '#shared/core/dates.ts';
import { applyChange } from '../company/apply-change.ts';
import type { CompanyChange } from '../company/changes.ts';
import { isMember, listMembers } from '../company/pay-calendars.ts';
import { type StoredPayPeriod, scheduleAt, scheduleIn, type World } from '../company/world.ts';
import type { Timesheet } from '../schemas.ts';
import { isQuestioned, listFinished, runBurst } from './approvals.ts';
import { changeHours } from './corrections.ts';

const MINUTE_SECONDS = 60;
/** Days from the end of a period to its pay run. */
export const RUN_AFTER_FINISH_DAYS = 2;
const CORRECTED_AFTER_REOPENING = 2;

/** A pay run. `reopens`: its period is opened again and corrected. `minutesLater`: than the first one of its day. */
interface PayRun {
  readonly date: string;
  readonly calendar: string;
  readonly reopens: boolean;
  readonly minutesLater: number;
}

/**
 * Schedules the day on which the period of a calendar that finished two days ago is paid: last approvals, payroll approval, processing
 * in two bursts, close at 10:30. Every second week it is reopened at 10:50, corrected and closed again. Questioned
 * timesheets are settled in the afternoon, after the close.
 */
export function planPayRun(world: World, { date, calendar, reopens, minutesLater }: PayRun): void {
  const at = (hour: number, minute: number, task: (period: StoredPayPeriod) => void): void =>
    scheduleAt(world, [date, hour * 60 + minute + minutesLater], () => {
      const period = findPeriod(world, date, calendar);
      if (period !== undefined) task(period);
    });
  at(8, 18, (period) => approveRemaining(world, period));
  at(8, 47, (period) => approveForPayroll(world, period));
  at(9, 40, (period) => processPart(world, period, 1 / 2));
  at(10, 5, (period) => processPart(world, period, 1));
  at(10, 30, ({ id }) => applyChange(world, { change: 'close-pay-period', id }));
  at(14, 10, (period) => settleQuestions(world, period));
  if (!reopens) return;
  at(10, 50, ({ id }) => applyChange(world, { change: 'reopen-pay-period', id }));
  at(11, 0, (period) => correctPaid(world, period));
  at(11, 45, ({ id }) => applyChange(world, { change: 'close-pay-period', id }));
}

function findPeriod(world: World, date: string, calendar: string): StoredPayPeriod | undefined {
  const finish = addDays(date, -RUN_AFTER_FINISH_DAYS);
  return [...world.payPeriods.values()].find(
    (period) => period.calendar === calendar && period.finishDate === finish,
  );
}

function approveRemaining(world: World, period: StoredPayPeriod): void {
  const records = listUnapproved(world, period).filter(({ id }) => !isQuestioned(world, id));
  runBurst(world, { records, secondsApart: 5, afterSeconds: 0 }, ({ id }) =>
    applyChange(world, { change: 'approve', id }),
  );
}

function settleQuestions(world: World, period: StoredPayPeriod): void {
  const records = listUnapproved(world, period);
  const steps = ['approve', 'approve-payroll', 'process'] as const;
  for (const [index, change] of steps.entries()) {
    runBurst(world, { records, secondsApart: 5, afterSeconds: index * 15 * MINUTE_SECONDS }, ({ id }) =>
      applyChange(world, { change, id }),
    );
  }
}

function approveForPayroll(world: World, period: StoredPayPeriod): void {
  const records = listMembers(world, period).filter(
    ({ approvedHours, approvedPayroll }) => approvedHours !== null && approvedPayroll === null,
  );
  runBurst(world, { records, secondsApart: 2, afterSeconds: 0 }, ({ id }) =>
    applyChange(world, { change: 'approve-payroll', id }),
  );
}

function processPart(world: World, period: StoredPayPeriod, share: number): void {
  const ready = listMembers(world, period).filter(
    ({ approvedPayroll, processed }) => approvedPayroll !== null && processed === null,
  );
  const records = ready.slice(0, Math.ceil(ready.length * share));
  runBurst(world, { records, secondsApart: 1, afterSeconds: 0 }, ({ id }) =>
    applyChange(world, { change: 'process', id }),
  );
}

/** Processing and approvals reverted in reverse order, the hours changed, everything approved and processed again. */
function correctPaid(world: World, period: StoredPayPeriod): void {
  const paid = listMembers(world, period).filter(
    ({ processed, includesLeave }) => processed !== null && !includesLeave,
  );
  const wrong = world.chance.some(`paid-wrong/${period.id}`, paid, CORRECTED_AFTER_REOPENING);
  for (const [index, { id }] of wrong.entries()) {
    const step = (minute: number, change: CompanyChange): void =>
      scheduleIn(world, (minute + 4 * index) * MINUTE_SECONDS, () => applyChange(world, change));
    step(0, { change: 'revert-processing', id });
    step(2, { change: 'revoke-payroll-approval', id });
    step(3, { change: 'revoke-approval', id });
    scheduleIn(world, (6 + 4 * index) * MINUTE_SECONDS, () => {
      const known = world.timesheets.get(id);
      if (known !== undefined) changeHours(world, known);
    });
    step(10, { change: 'approve', id });
    step(12, { change: 'approve-payroll', id });
    step(15, { change: 'process', id });
  }
}

function listUnapproved(world: World, period: StoredPayPeriod): Timesheet[] {
  const { startDate, finishDate } = period;
  return listFinished(world, startDate, finishDate).filter((timesheet) => isMember(world, timesheet, period));
}

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
