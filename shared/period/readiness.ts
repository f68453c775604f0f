import { compareIds } from '../core/events/compare-ids.ts';
import { MAX_SHARING_PERIODS } from '../core/periods/close-manifest.ts';
import {
  MAX_WAITING,
  MAX_WAITING_DEPARTMENTS,
  type Readiness,
  type WaitingDepartment,
  type WaitingTimesheet,
} from '../core/periods/readiness-data.ts';
import { roundNumber } from '../core/records/values.ts';
import type { Counted, PeriodAccount, PeriodMembers } from './period-account.ts';

/** What is known of a period besides its timesheets. */
interface ReadinessContext {
  /** The last date that is counted. */
  readonly through: string;
  /** Ids of other periods that share dates. */
  readonly sharing: readonly string[];
  /** Whose timesheets are the period's own; null when that was not asked: then all on its dates count. */
  readonly members: PeriodMembers | null;
}

/** How far a period is, from a count of its dates up to `through`. */
export function countReadiness(
  account: PeriodAccount,
  { through, sharing, members }: ReadinessContext,
): Readiness {
  const { counted: all, members: how } = account.select(members);
  const waiting = all.filter(({ approved }) => !approved);
  const departments = countDepartments(all);
  return {
    through,
    ...account.coverage(),
    members: how,
    membersUnknown: members === null ? 0 : countUnknown(account, members),
    sharesDatesWith: members === null ? sharing.slice(0, MAX_SHARING_PERIODS) : [],
    timesheets: all.length,
    employees: countEmployees(all),
    approved: all.length - waiting.length,
    unapproved: waiting.length,
    unapprovedEmployees: countEmployees(waiting),
    unapprovedHours: sumHours(waiting),
    hoursToPay: sumHours(all),
    payrollUnapproved: countPayrollUnapproved(all),
    departments: departments.length,
    byDepartment: departments
      .sort((a, b) => b.unapproved - a.unapproved || compareIds(a.departmentId, b.departmentId))
      .slice(0, MAX_WAITING_DEPARTMENTS)
      .sort((a, b) => compareIds(a.departmentId, b.departmentId)),
    waiting: waiting.toSorted(compareByDate).slice(0, MAX_WAITING).map(toWaiting),
  };
}

/** Whether there is anything to tell: something to approve, or dates of which that is not known. */
export function isWorthTelling({ unapproved, complete, membersUnknown }: Readiness): boolean {
  return unapproved > 0 || !complete || membersUnknown > 0;
}

/** Timesheets that are not approved and may be the period's own. */
function countUnknown(account: PeriodAccount, { unknown }: PeriodMembers): number {
  return account
    .select(null)
    .counted.filter(
      ({ approved, employeeId, timesheetId }) =>
        !approved && (employeeId === null || unknown.has(timesheetId)),
    ).length;
}

function countEmployees(all: readonly Counted[]): number {
  return new Set(all.flatMap(({ employeeId }) => employeeId ?? [])).size;
}

function sumHours(all: readonly Counted[]): number {
  return roundNumber(all.reduce((sum, { hours }) => sum + hours, 0));
}

/** Some companies have no approval by payroll. */
function countPayrollUnapproved(all: readonly Counted[]): number | null {
  if (!all.some(({ payrollApproved }) => payrollApproved)) return null;
  return all.filter(({ approved, payrollApproved }) => approved && !payrollApproved).length;
}

/** Departments without anything to approve are left out. */
function countDepartments(all: readonly Counted[]): WaitingDepartment[] {
  return [...Map.groupBy(all, ({ departmentId }) => departmentId)].flatMap(([departmentId, timesheets]) => {
    const waiting = timesheets.filter(({ approved }) => !approved);
    if (waiting.length === 0) return [];
    return [
      {
        departmentId,
        timesheets: timesheets.length,
        unapproved: waiting.length,
        unapprovedEmployees: countEmployees(waiting),
        unapprovedHours: sumHours(waiting),
      },
    ];
  });
}

function compareByDate(left: Counted, right: Counted): number {
  return compareIds(left.date, right.date) || compareIds(left.timesheetId, right.timesheetId);
}

function toWaiting({ timesheetId, epoch, sequence, lacksClockOut, ...counted }: Counted): WaitingTimesheet {
  const { employeeId, departmentId, date, hours } = counted;
  return {
    timesheetId,
    epoch,
    sequence,
    employeeId,
    departmentId,
    date,
    hours,
    missing: [...(lacksClockOut ? (['clock_out'] as const) : []), 'approval'],
  };
}
