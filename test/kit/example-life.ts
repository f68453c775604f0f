import type { CompanyChange } from '#local/source/company/changes.ts';
import type { Company } from '#local/source/company/company.ts';
import type { Department, Employee } from '#local/source/schemas.ts';

/** Tuesday, 07:00 in Auckland, where it is summer. The week before is paid on this day. */
export const STARTS = at('10 07:00:00');
export const ENDS = at('18 16:01:00');
/** When the pay period is closed and settled. */
export const PAYDAY = { from: at('17 08:00:00'), to: at('17 16:00:00') } as const;
/** A date whose pages fail for a while. */
export const UNREADABLE = { date: '2026-11-11', from: at('12 16:57:00'), to: at('12 17:44:00') } as const;
/** Another one, while the period closes again: it is told with a reserve, and recounted. */
export const UNREADABLE_AT_CLOSING = {
  ...{ date: '2026-11-12', from: at('18 11:25:00'), to: at('18 12:10:00') },
} as const;
/** The employee that the examples are about, on two days off, and the department. */
export const EMPLOYEE = '1030_1';
export const DEPARTMENT = '202_1';

const WEEK = { startDate: '2026-11-09', finishDate: '2026-11-15' };
const JOB = { change: 'create', employeeId: EMPLOYEE, start: 9 * 60, hours: 8 } as const;

/** Ids of what is created by hand: a job, another one with a late clock-in, and a pay period. */
export type Created = Record<'timesheet' | 'late' | 'period', string>;

/** What people do besides the life of the company: everything that can happen, and then they take it back. */
type Change = CompanyChange extends infer Each
  ? Each extends CompanyChange
    ? Omit<Each, 'id'>
    : never
  : never;
const DEEDS: readonly (readonly [time: string, of: keyof Created, change: Change])[] = [
  ['10 09:00:20', 'period', { change: 'create-pay-period', ...WEEK, finishDate: '2026-11-22' }],
  ['10 09:40:20', 'period', { change: 'change-pay-period', finishDate: WEEK.finishDate }],
  ['12 08:11:20', 'timesheet', { ...JOB, date: '2026-11-12' }],
  ['12 09:01:30', 'timesheet', { change: 'clock-in', kiosk: true }],
  ['12 09:40:20', 'timesheet', { change: 'correct-clock-in', minutes: -2 }],
  ['12 17:04:10', 'timesheet', { change: 'clock-out', kiosk: true }],
  ['12 17:51:20', 'timesheet', { change: 'correct-clock-out', minutes: 26 }],
  ['12 18:15:08', 'timesheet', { change: 'approve' }],
  ['12 18:40:20', 'timesheet', { change: 'change', hours: 8 }],
  ['13 08:12:20', 'late', { ...JOB, date: '2026-11-13' }],
  ['13 09:22:10', 'late', { change: 'clock-in' }],
  ['18 09:19:20', 'timesheet', { change: 'revert-processing' }],
  ['18 09:59:20', 'period', { change: 'reopen-pay-period' }],
  ['18 10:09:20', 'timesheet', { change: 'revoke-payroll-approval' }],
  ['18 10:10:20', 'timesheet', { change: 'revoke-approval' }],
  ['18 10:11:20', 'timesheet', { change: 'remove-clock-out' }],
  ['18 10:12:20', 'timesheet', { change: 'remove-clock-in' }],
  ['18 10:13:20', 'timesheet', { change: 'remove' }],
  ['18 11:19:20', 'late', { change: 'revert-processing' }],
  ['18 11:29:20', 'period', { change: 'close-pay-period' }],
  ['18 14:29:20', 'period', { change: 'remove-pay-period' }],
];

/** What is done at a moment, in milliseconds since 1970. */
export interface Deed {
  readonly at: number;
  readonly act: () => void;
}

/** In order of time. Ids of records are noted in `created`. The period of the week is removed, to be seen as it comes. */
export function listDeeds(company: Company, created: Created): readonly Deed[] {
  const early = company.payPeriods().find(({ startDate }) => startDate === WEEK.startDate);
  company.apply({ change: 'remove-pay-period', id: early?.id ?? '' });
  const byHand = DEEDS.map(([time, of, change]) => ({
    at: at(time),
    act: () => {
      const done = company.apply({ id: created[of], ...change } as CompanyChange);
      if (done.outcome !== 'done') throw new Error(`${change.change} cannot be: ${JSON.stringify(done)}`);
      if (done.record !== null) created[of] = done.record.id;
    },
  }));
  const correction = { at: at('17 12:20:20'), act: () => correctWaiting(company, created.period) };
  return [...byHand, correction, ...listDirectoryDeeds(company)].sort((a, b) => a.at - b.at);
}

/** More hours for what was not approved when the period closed. */
function correctWaiting(company: Company, periodId: string): void {
  const period = company.payPeriod(periodId);
  const members = period === undefined ? [] : company.members(period);
  for (const { id, hoursToPay } of members.filter(({ approvedHours }) => approvedHours === null))
    company.apply({ change: 'change', id, hours: hoursToPay + 0.5 });
}

/** Before them there is neither the employee nor the department. */
function listDirectoryDeeds(company: Company): Deed[] {
  const employee = company.employees().find(({ id }) => id === EMPLOYEE) as Employee;
  const department = company.departments().find(({ id }) => id === DEPARTMENT) as Department;
  const elsewhere = company.employees()[0]?.contractedHours.slice(0, 1) ?? [];
  const list = (employed: Employee | null) => () =>
    company.world.records.employees.add(EMPLOYEE, { at: company.now(), record: employed });
  const set = (state: Department | null) => () =>
    company.world.records.departments.add(DEPARTMENT, { at: company.now(), record: state });
  for (const remove of [list(null), set(null)]) remove();
  return [
    { at: at('10 09:19:20'), act: set(department) },
    { at: at('10 09:19:40'), act: list(employee) },
    { at: at('11 10:19:20'), act: set({ ...department, name: 'Main Kitchen' }) },
    { at: at('11 14:19:20'), act: set({ ...department, name: 'Main Kitchen', manager: EMPLOYEE }) },
    { at: at('16 09:39:20'), act: list({ ...employee, contractedHours: elsewhere }) },
    { at: at('18 15:59:20'), act: list(null) },
    { at: at('18 15:59:40'), act: set(null) },
  ];
}

/** An instant of November 2026 in Auckland. */
function at(time: string): number {
  return Date.parse(`2026-11-${time.replace(' ', 'T')}+13:00`);
}
