import { addDays } from '#shared/core/dates.ts';
import type { CompanyChange, MarkChange } from '../company/changes.ts';
import type { Company, StoredPayPeriod } from '../company/company.ts';
import type { Timesheet } from '../schemas.ts';
import { isQuestioned, listUnapproved, runBurst } from './approvals.ts';
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
export function planPayRun(company: Company, { date, calendar, reopens, minutesLater }: PayRun): void {
  const finishDate = addDays(date, -RUN_AFTER_FINISH_DAYS);
  const at = (hour: number, minute: number, act: (period: StoredPayPeriod) => void): void =>
    company.scheduleAt([date, hour * 60 + minute + minutesLater], () => {
      const period = company.findPeriod({ calendar, finishDate });
      if (period !== undefined) act(period);
    });
  at(8, 18, (period) => approveRemaining(company, period));
  at(8, 47, (period) => markAll(company, company.members(period).filter(isApproved), 'approve-payroll', 2));
  at(9, 40, (period) => processPart(company, period, 1 / 2));
  at(10, 5, (period) => processPart(company, period, 1));
  at(10, 30, ({ id }) => company.apply({ change: 'close-pay-period', id }));
  at(14, 10, (period) => settleQuestions(company, period));
  if (!reopens) return;
  at(10, 50, ({ id }) => company.apply({ change: 'reopen-pay-period', id }));
  at(11, 0, (period) => correctPaid(company, period));
  at(11, 45, ({ id }) => company.apply({ change: 'close-pay-period', id }));
}

/** Approved, and not by payroll yet. */
function isApproved({ approvedHours, approvedPayroll }: Timesheet): boolean {
  return approvedHours !== null && approvedPayroll === null;
}

/** Approved by payroll, and not paid yet. */
function isReady({ approvedPayroll, processed }: Timesheet): boolean {
  return approvedPayroll !== null && processed === null;
}

function markAll(
  company: Company,
  records: readonly Timesheet[],
  change: MarkChange['change'],
  secondsApart: number,
): void {
  runBurst(company, { records, secondsApart }, ({ id }) => ({ change, id }));
}

function approveRemaining(company: Company, period: StoredPayPeriod): void {
  const open = listUnapproved(company, company.members(period)).filter(
    ({ id }) => !isQuestioned(company, id),
  );
  markAll(company, open, 'approve', 5);
}

function settleQuestions(company: Company, period: StoredPayPeriod): void {
  const records = listUnapproved(company, company.members(period));
  const steps = ['approve', 'approve-payroll', 'process'] as const;
  for (const [index, change] of steps.entries()) {
    const burst = { records, secondsApart: 5, afterSeconds: index * 15 * MINUTE_SECONDS };
    runBurst(company, burst, ({ id }) => ({ change, id }));
  }
}

function processPart(company: Company, period: StoredPayPeriod, share: number): void {
  const ready = company.members(period).filter(isReady);
  markAll(company, ready.slice(0, Math.ceil(ready.length * share)), 'process', 1);
}

/** Processing and approvals reverted in reverse order, the hours changed, everything approved and processed again. */
function correctPaid(company: Company, period: StoredPayPeriod): void {
  const paid = company
    .members(period)
    .filter(({ processed, includesLeave }) => processed !== null && !includesLeave);
  const wrong = company.chance.some(`paid-wrong/${period.id}`, paid, CORRECTED_AFTER_REOPENING);
  for (const [index, { id }] of wrong.entries()) {
    const at = (minute: number, act: () => void): void =>
      company.scheduleIn((minute + 4 * index) * MINUTE_SECONDS, act);
    const step = (minute: number, change: MarkChange['change']): void =>
      at(minute, () => company.apply({ change, id }));
    step(0, 'revert-processing');
    step(2, 'revoke-payroll-approval');
    step(3, 'revoke-approval');
    at(6, () => changeHours(company, id));
    step(10, 'approve');
    step(12, 'approve-payroll');
    step(15, 'process');
  }
}

const APPROVED_EARLY_SHARE = 0.25;
const WEEK_DAYS = 7;

/** Schedules the daily work of the payroll desk: early approvals, and casual jobs paid the day after. */
export function planPayrollDesk(company: Company, date: string): void {
  const at = (hour: number, minute: number, act: (lastWeek: readonly Timesheet[]) => void): void =>
    company.scheduleAt([date, hour * 60 + minute], () =>
      act(company.timesheets({ from: addDays(date, -WEEK_DAYS), to: addDays(date, -1) })),
    );
  at(9, 14, (lastWeek) => approveEarly(company, lastWeek));
  at(13, 2, (lastWeek) => {
    const jobs = lastWeek.filter((each) => each.casualJob && isReady(each));
    markAll(company, jobs, 'process', 5);
    // One of them is reverted and processed again, as after a wrong bank account.
    for (const { id } of company.chance.some(`wrong-account/${date}`, jobs, 1)) {
      later(company, 20, { change: 'revert-processing', id });
      later(company, 48, { change: 'process', id });
    }
  });
  at(13, 33, (lastWeek) => {
    const suitable = lastWeek.filter((each) => !each.casualJob && isReady(each));
    for (const { id } of company.chance.some(`payroll-back/${date}`, suitable, 1)) {
      company.apply({ change: 'revoke-payroll-approval', id });
      later(company, 31, { change: 'approve-payroll', id });
    }
  });
}

function approveEarly(company: Company, lastWeek: readonly Timesheet[]): void {
  const isEarly = ({ id, casualJob }: Timesheet) =>
    casualJob || company.chance.fraction(`early/${id}`) < APPROVED_EARLY_SHARE;
  markAll(company, lastWeek.filter(isApproved).filter(isEarly), 'approve-payroll', 4);
}

function later(company: Company, minutes: number, change: CompanyChange): void {
  company.scheduleIn(minutes * MINUTE_SECONDS, () => company.apply(change));
}
