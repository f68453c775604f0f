import { toIso } from '../dates.ts';
import { feedDefinition, toState } from '../records/feed-definition.ts';
import {
  areTotalsEqual,
  type PayPeriodTotals,
  roundHours,
  subtractTotals,
} from '../records/pay-period-totals.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';
import {
  type CloseManifest,
  type DepartmentCount,
  type Leftover,
  MAX_DEPARTMENTS,
  MAX_LEFTOVERS,
  MAX_SHARING_PERIODS,
} from './close-manifest.ts';
import { compareIds } from './compare-ids.ts';
import { computeStatementDigest, type StatementMember } from './statement-digest.ts';

const TIMESHEETS = feedDefinition('timesheets');

/** A timesheet as it is counted. */
export interface Counted {
  readonly timesheetId: string;
  readonly epoch?: string;
  readonly sequence: number;
  readonly employeeId: string | null;
  readonly departmentId: string | null;
  readonly date: string | null;
  readonly hours: number;
  /** Clocked in and not out. */
  readonly lacksClockOut: boolean;
  readonly approved: boolean;
  readonly payrollApproved: boolean;
  readonly processed: boolean;
}

interface CountedDate {
  readonly timesheets: readonly Counted[];
  readonly scannedAt: number;
}

/** What is known of a period besides its timesheets. */
export interface ClosingContext {
  /** Ids of other periods that share dates. */
  readonly sharing: readonly string[];
  /** What the source says the period comes to; null when it does not. */
  readonly source: PayPeriodTotals | null;
  /** Whose timesheets are the period's own; null when that was not asked: then all on its dates count. */
  readonly members?: PeriodMembers | null;
}

/** Which timesheets belong to a period, as the source answered employee by employee. */
export interface PeriodMembers {
  /** Ids of its timesheets. */
  readonly timesheets: ReadonlySet<string>;
  /** Employees for whom the source gave no answer. */
  readonly unknownEmployees: ReadonlySet<string>;
}

/** Counts the timesheets on the dates of a period. Counting a date again replaces its earlier count. */
export class CloseCount {
  readonly #missing = new Set<string>();
  readonly #dates = new Map<string, CountedDate>();

  /** Notes a date that never had a complete scan, or that changed during every count. */
  miss(date: string): void {
    this.#dates.delete(date);
    this.#missing.add(date);
  }

  /** Counts a date as last committed. `scannedAt`: start of its last complete scan. */
  add(date: string, rows: readonly LeafRow[], scannedAt: number): void {
    this.#dates.set(date, { timesheets: rows.map(countTimesheet), scannedAt });
  }

  /** Ids of the counted timesheets by the id of their employee, in the order of these. */
  byEmployee(): ReadonlyMap<string, readonly string[]> {
    const owned = this.#timesheets().filter(({ employeeId }) => employeeId !== null);
    const groups = Map.groupBy(owned, ({ employeeId }) => employeeId ?? '');
    return new Map(
      [...groups]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, timesheets]) => [id, timesheets.map(({ timesheetId }) => timesheetId)]),
    );
  }

  /** The timesheets that belong to the period, and how that is known. */
  select(members: PeriodMembers | null): PeriodTimesheets {
    return selectMembers(this.#timesheets(), members);
  }

  /** Which dates were counted, and as of when. */
  coverage(): Pick<CloseManifest, 'complete' | 'missing' | 'asOf'> {
    const missing = [...this.#missing].sort();
    const [from] = missing;
    const to = missing.at(-1);
    return {
      complete: from === undefined,
      missing: from === undefined || to === undefined ? null : { from, to },
      asOf: this.#findOldestScan(),
    };
  }

  manifest({ sharing, source, members = null }: ClosingContext): CloseManifest {
    const { counted: all, ...membership } = this.select(members);
    const shared = members === null ? sharing : [];
    const { timesheets, employees, hours, unapproved, unprocessed } = addUp(all);
    const departments = countDepartments(all);
    return {
      ...this.coverage(),
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
      // Where the timesheets of other calendars count too, or own ones do not, the difference says nothing.
      ...compareTotals(
        { timesheets, employees, hours },
        shared.length === 0 && membership.members !== 'partly' ? source : null,
      ),
      digest: computeStatementDigest(all.map(toStatementMember)),
      departments: departments.length,
      byDepartment: selectDepartments(departments),
      leftovers: selectLeftovers(all),
    };
  }

  /** The timesheets that `manifest` counts. */
  members({ members = null }: Pick<ClosingContext, 'members'>): StatementMember[] {
    return selectMembers(this.#timesheets(), members).counted.map(toStatementMember);
  }

  /** Each timesheet once, in the order of the dates. */
  #timesheets(): Counted[] {
    const dates = [...this.#dates].sort(([a], [b]) => (a < b ? -1 : 1));
    const once = new Map<string, Counted>();
    for (const [, { timesheets }] of dates) {
      for (const each of timesheets) if (!once.has(each.timesheetId)) once.set(each.timesheetId, each);
    }
    return [...once.values()];
  }

  #findOldestScan(): string | null {
    let oldest: number | null = null;
    for (const { scannedAt } of this.#dates.values()) oldest = Math.min(scannedAt, oldest ?? scannedAt);
    return oldest === null ? null : toIso(oldest);
  }
}

function countTimesheet({ id, state: row, sequence, epoch }: LeafRow): Counted {
  const state = toState(TIMESHEETS, row);
  const readText = (name: string) => (typeof state[name] === 'string' ? state[name] : null);
  return {
    timesheetId: id,
    ...(epoch === undefined ? {} : { epoch: toIso(epoch) }),
    sequence,
    employeeId: readText('employeeId'),
    departmentId: readText('departmentId'),
    date: readText('date'),
    hours: typeof state.hoursToPay === 'number' ? state.hoursToPay : 0,
    lacksClockOut: state.clockIn != null && state.clockOut == null,
    approved: state.approvedHours != null,
    payrollApproved: state.approvedPayroll != null,
    processed: state.processed != null,
  };
}

function toStatementMember({ timesheetId, epoch, sequence, hours }: Counted): StatementMember {
  return { id: timesheetId, epoch, sequence, hoursToPay: hours };
}

/** Timesheets of a period, and how it is known that they are its own. */
export interface PeriodTimesheets {
  readonly counted: readonly Counted[];
  readonly members: 'all' | 'asked' | 'partly';
  readonly membersUnknown: number;
}

/** What is known to belong to the period. What is not known is left out and counted, never guessed. */
function selectMembers(all: readonly Counted[], members: PeriodMembers | null): PeriodTimesheets {
  if (members === null) return { counted: all, members: 'all', membersUnknown: 0 };
  const isUnknown = ({ employeeId }: Counted) =>
    employeeId === null || members.unknownEmployees.has(employeeId);
  const membersUnknown = all.filter(isUnknown).length;
  const counted = all.filter((each) => !isUnknown(each) && members.timesheets.has(each.timesheetId));
  return { counted, members: membersUnknown === 0 ? 'asked' : 'partly', membersUnknown };
}

function addUp(all: readonly Counted[]): Omit<DepartmentCount, 'departmentId'> {
  return {
    timesheets: all.length,
    employees: new Set(all.flatMap(({ employeeId }) => employeeId ?? [])).size,
    hours: roundHours(all.reduce((sum, { hours }) => sum + hours, 0)),
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
