import { addDays } from '#shared/core/dates.ts';
import type { CompanyChange } from '../company/changes.ts';
import type { Company } from '../company/company.ts';
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
export function planApprovals(company: Company, date: string): void {
  const { workplaces } = company;
  for (const [index, { department }] of workplaces.entries()) {
    const delay = Math.floor((SESSION_SPREAD_MINUTES * index) / workplaces.length);
    for (const session of SESSIONS) {
      const key = `${session.name}/${date}/${department.id}`;
      const minute = session.minute + delay + company.chance.whole(key, 0, 9);
      company.scheduleAt([date, minute], () => approveDepartment(company, department.id, session));
    }
  }
}

function approveDepartment(
  company: Company,
  departmentId: string,
  { name, share }: (typeof SESSIONS)[number],
): void {
  const today = company.today();
  const dates = { from: addDays(today, -LOOK_BACK_DAYS), to: today };
  const own = listUnapproved(company, company.timesheets(dates)).filter(
    (timesheet) => approverOf(company, timesheet) === departmentId,
  );
  if (name === 'morning') enterForgottenClockOuts(company, own);
  const ready = own.filter(
    ({ id, clockIn, includesLeave }) =>
      (clockIn !== null || includesLeave) &&
      !isQuestioned(company, id) &&
      company.chance.fraction(`${name}/${today}/${id}`) < share,
  );
  runBurst(company, { records: ready, secondsApart: 6, afterSeconds: 90 }, ({ id }) => ({
    change: 'approve',
    id,
  }));
}

/** The department whose manager approves a timesheet: its own, or else that of the employee. */
function approverOf(company: Company, { department, employeeId }: Timesheet): string | undefined {
  return department?.id ?? company.memberOf(employeeId)?.workplace.department.id;
}

function enterForgottenClockOuts(company: Company, timesheets: readonly Timesheet[]): void {
  const records = timesheets.filter(({ clockIn, clockOut }) => clockIn !== null && clockOut === null);
  runBurst(company, { records, secondsApart: 20 }, (timesheet) => ({
    change: 'clock-out',
    id: timesheet.id,
    variance: 0,
    ...byManager(company, timesheet),
  }));
}

/** What a clock record says that the manager of the employee entered. */
export function byManager(company: Company, { employeeId }: Timesheet) {
  const workplace = company.memberOf(employeeId)?.workplace;
  return {
    overrideEmployee: workplace?.department.manager || null,
    overrideOrganisation: workplace?.organisationId ?? null,
  };
}

/** Whether the approval of a timesheet waits for an answer of the employee, until after its period is closed. */
export function isQuestioned(company: Company, id: string): boolean {
  return company.chance.fraction(`questioned/${id}`) < QUESTIONED_SHARE;
}

/** Those that are over and not approved yet. */
export function listUnapproved(company: Company, timesheets: readonly Timesheet[]): Timesheet[] {
  const now = new Date(company.now()).toISOString();
  return timesheets.filter(({ approvedHours, finishTime }) => approvedHours === null && finishTime <= now);
}

interface Burst {
  readonly records: readonly Timesheet[];
  readonly secondsApart: number;
  /** Default: at once. */
  readonly afterSeconds?: number;
}

/** Changes many timesheets, a few seconds apart, like a person clicking through a list. */
export function runBurst(
  company: Company,
  { records, secondsApart, afterSeconds = 0 }: Burst,
  toChange: (timesheet: Timesheet) => CompanyChange,
): void {
  for (const [index, timesheet] of records.entries())
    company.scheduleIn(afterSeconds + index * secondsApart, () => company.apply(toChange(timesheet)));
}
