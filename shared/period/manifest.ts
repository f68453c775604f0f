import { compareIds } from '../core/events/compare-ids.ts';
import {
  type CloseManifest,
  type DepartmentCount,
  type Leftover,
  MAX_DEPARTMENTS,
  MAX_LEFTOVERS,
  MAX_SHARING_PERIODS,
} from '../core/periods/close-manifest.ts';
import { areTotalsEqual, type PayPeriodTotals, subtractTotals } from '../core/records/pay-period.ts';
import { roundNumber } from '../core/records/values.ts';
import type { Counted, PeriodAccount, PeriodMembers } from './period-account.ts';

/** What is known of a period besides its timesheets. */
export interface ClosingContext {
  /** Ids of other periods that share dates. */
  readonly sharing: readonly string[];
  /** What the source says the period comes to; null when it does not. */
  readonly source: PayPeriodTotals | null;
  /** Whose timesheets are the period's own; null when that was not asked: then all on its dates count. */
  readonly members?: PeriodMembers | null;
  /** The dates whose latest look began before the closing was seen; null when there are none. */
  readonly lookedAtBefore?: CloseManifest['lookedAtBefore'] | null;
}

/** What a pay period comes to. */
export function toManifest(
  account: PeriodAccount,
  { sharing, source, members = null, lookedAtBefore = null }: ClosingContext,
): CloseManifest {
  const { counted: all, ...membership } = account.select(members);
  const shared = members === null ? sharing : [];
  const { timesheets, employees, hours, unapproved, unprocessed } = addUp(all);
  const departments = countDepartments(all);
  // Where the timesheets of other calendars count too, or own ones do not, the difference says nothing.
  const isComparable = shared.length === 0 && membership.members !== 'partly';
  const comparison = compareTotals({ timesheets, employees, hours }, isComparable ? source : null);
  return {
    ...account.coverage(all),
    ...(lookedAtBefore == null ? {} : { lookedAtBefore }),
    timesheets,
    employees,
    approved: timesheets - unapproved,
    unapproved,
    processed: timesheets - unprocessed,
    unprocessed,
    hoursToPay: hours,
    sharesDatesWith: shared.slice(0, MAX_SHARING_PERIODS),
    ...membership,
    source,
    ...comparison,
    departments: departments.length,
    byDepartment: selectDepartments(departments),
    leftovers: selectLeftovers(all),
  };
}

function addUp(all: readonly Counted[]): Omit<DepartmentCount, 'departmentId'> {
  return {
    timesheets: all.length,
    employees: new Set(all.flatMap(({ employeeId }) => employeeId ?? [])).size,
    hours: roundNumber(all.reduce((sum, { hours }) => sum + hours, 0)),
    unapproved: all.filter(({ approved }) => !approved).length,
    unprocessed: all.filter(({ processed }) => !processed).length,
  };
}

function compareTotals(
  counted: PayPeriodTotals,
  source: PayPeriodTotals | null,
): Pick<CloseManifest, 'addsUp' | 'difference'> {
  if (source === null) return { addsUp: null, difference: null };
  return { addsUp: areTotalsEqual(counted, source), difference: subtractTotals(counted, source) };
}

function countDepartments(all: readonly Counted[]): DepartmentCount[] {
  const departments = Map.groupBy(all, ({ departmentId }) => departmentId);
  return [...departments].map(([departmentId, timesheets]) => ({ departmentId, ...addUp(timesheets) }));
}

function selectDepartments(departments: readonly DepartmentCount[]): DepartmentCount[] {
  return departments
    .toSorted((a, b) => b.timesheets - a.timesheets || compareIds(a.departmentId, b.departmentId))
    .slice(0, MAX_DEPARTMENTS)
    .sort((a, b) => compareIds(a.departmentId, b.departmentId));
}

function selectLeftovers(all: readonly Counted[]): Leftover[] {
  const knowsPayrollApproval = all.some(({ payrollApproved }) => payrollApproved);
  return all
    .filter(({ approved, processed }) => !(approved && processed))
    .sort((a, b) => Number(a.approved) - Number(b.approved) || compareIds(a.timesheetId, b.timesheetId))
    .slice(0, MAX_LEFTOVERS)
    .sort((a, b) => compareIds(a.timesheetId, b.timesheetId))
    .map(({ payrollApproved, lacksClockOut: _, ...leftover }) => ({
      ...leftover,
      missing: listMissing({ ...leftover, payrollApproved: payrollApproved || !knowsPayrollApproval }),
    }));
}

function listMissing({
  approved,
  payrollApproved,
  processed,
}: Pick<Counted, 'approved' | 'payrollApproved' | 'processed'>): NonNullable<Leftover['missing']> {
  return [
    ...(approved ? [] : (['approval'] as const)),
    ...(payrollApproved ? [] : (['payroll_approval'] as const)),
    ...(processed ? [] : (['processing'] as const)),
  ];
}
