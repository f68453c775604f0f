import { toIso } from '../core/dates.ts';
import { compareIds } from '../core/events/compare-ids.ts';
import {
  type Account,
  type DepartmentAccount,
  type Figures,
  type LeftOver,
  MAX_DEPARTMENTS,
  MAX_LEFT_OVER,
  type Reserve,
  type ReserveKind,
} from '../core/periods/account-data.ts';
import { type CountedHours, toHours } from '../core/periods/counted-hours.ts';
import { areTotalsEqual, type PayPeriodTotals, subtractTotals } from '../core/records/pay-period.ts';
import { compareWithBefore, sumChanges, type ToldBefore } from './changes.ts';
import { type Counted, type DateView, findOldestLook, isReady } from './view.ts';

/** What an account is made of, loaded at one instant. Instants in milliseconds since 1970. */
export interface PeriodView {
  readonly state: Account['state'];
  /** Since when it is so; null where that is not known. */
  readonly since: number | null;
  /** When an open one is to close; null where the config does not say. */
  readonly closesAt: number | null;
  /** The last date that counts. */
  readonly through: string;
  /** When its closing was first seen: what was read before it may lack something; null where no look has to be later. */
  readonly closingSeenAt: number | null;
  /** In their order. */
  readonly dates: readonly DateView[];
  /** All on its dates. */
  readonly timesheets: readonly Counted[];
  /** Records on its dates of which nothing is known: they were never readable. */
  readonly neverRead: number;
  /** Whether one of them is its own; null where no answer says it. */
  readonly belongs: (timesheet: Counted) => boolean | null;
  /** What the source says it comes to; null when it does not. */
  readonly source: PayPeriodTotals | null;
  /** The list of the source leaves it out. */
  readonly isUnlisted: boolean;
  /** What it was told with before; null when it was not, or that is not stored any more. */
  readonly before: ToldBefore | null;
}

/** An account, and the timesheets that it is of. */
export interface CountedPeriod {
  readonly account: Account;
  /** Its own, in the order of dates and ids. */
  readonly own: readonly Counted[];
  /** All whose ready hours differ from those before, the largest difference first; null where that is not known. */
  readonly changed: ReturnType<typeof compareWithBefore>;
  /** What later accounts are held against. */
  readonly hours: readonly CountedHours[];
  /** They are of all timesheets of the period. */
  readonly isWhole: boolean;
}

/** Counts a pay period. Nothing of it is guessed: what is in doubt is left out, or counts as last seen, and is said. */
export function countPeriod(view: PeriodView): CountedPeriod {
  const { all, own, unknown } = divide(view);
  const isRead = view.neverRead === 0 && view.dates.every(({ lookedAt }) => lookedAt !== null);
  const isWhole = isRead && unknown.length === 0;
  const figures = addUp(own);
  const isCompared = isWhole && (view.state === 'closed' || view.state === 'settled');
  const counted = { timesheets: figures.timesheets, employees: figures.people, hours: figures.hours };
  const difference = view.source === null || !isCompared ? null : subtractTotals(counted, view.source);
  const addsUp = view.source === null || difference === null || areTotalsEqual(counted, view.source);
  const reserves = listReserves(view, { own, unknown, addsUp });
  const changed = view.before === null ? null : compareWithBefore(view.before, { all, own, isWhole });
  const departments = countDepartments(own);
  const parts = divideReady(own);
  const isClosed = view.state === 'closed' || view.state === 'settled';
  const account: Account = {
    state: view.state,
    since: view.since === null ? null : toIso(view.since),
    closesAt: view.closesAt === null ? null : toIso(view.closesAt),
    verdict: isClosed && parts.notReady.timesheets === 0 && reserves.length === 0 ? 'pay' : 'not_yet',
    through: view.through,
    asOf: findOldestLook(view.dates),
    ...figures,
    ...parts,
    departments: departments.length,
    byDepartment: selectDepartments(departments),
    leftOver: listLeftOver(own, view.state),
    changes: view.before === null || changed === null ? null : sumChanges(view.before, changed),
    source: view.source,
    difference,
    reserves,
  };
  return { account, own, changed, isWhole, hours: own.map(toCountedHours) };
}

function toCountedHours(timesheet: Counted): CountedHours {
  return [timesheet.id, isReady(timesheet) ? timesheet.units : null];
}

interface Divided {
  /** Each timesheet on its dates once, and whether it is its own. */
  readonly all: ReadonlyMap<string, boolean | null>;
  readonly own: readonly Counted[];
  readonly unknown: readonly Counted[];
}

function divide({ timesheets, belongs }: PeriodView): Divided {
  const all = new Map<string, boolean | null>();
  const own: Counted[] = [];
  const unknown: Counted[] = [];
  for (const timesheet of timesheets) {
    if (all.has(timesheet.id)) continue;
    const isOwn = belongs(timesheet);
    all.set(timesheet.id, isOwn);
    if (isOwn === true) own.push(timesheet);
    if (isOwn === null) unknown.push(timesheet);
  }
  own.sort((a, b) => compareIds(a.date, b.date) || compareIds(a.id, b.id));
  return { all, own, unknown };
}

function addUp(timesheets: readonly Counted[]): Figures {
  return {
    people: new Set(timesheets.flatMap(({ employeeId }) => employeeId ?? [])).size,
    timesheets: timesheets.length,
    hours: toHours(timesheets.reduce((sum, { units }) => sum + units, 0)),
  };
}

function divideReady(own: readonly Counted[]): Pick<Account, 'ready' | 'notReady' | 'unprocessed'> {
  return {
    ready: addUp(own.filter(isReady)),
    notReady: addUp(own.filter((each) => !isReady(each))),
    unprocessed: own.filter(({ processed }) => !processed).length,
  };
}

function countDepartments(own: readonly Counted[]): DepartmentAccount[] {
  return [...Map.groupBy(own, ({ departmentId }) => departmentId)].map(([departmentId, timesheets]) => ({
    departmentId,
    ...addUp(timesheets),
    ...divideReady(timesheets),
  }));
}

function selectDepartments(departments: readonly DepartmentAccount[]): DepartmentAccount[] {
  return departments
    .toSorted(
      (a, b) =>
        b.notReady.timesheets - a.notReady.timesheets ||
        b.timesheets - a.timesheets ||
        compareIds(a.departmentId, b.departmentId),
    )
    .slice(0, MAX_DEPARTMENTS)
    .sort((a, b) => compareIds(a.departmentId, b.departmentId));
}

function listLeftOver(own: readonly Counted[], state: Account['state']): LeftOver[] {
  const isLeft = (each: Counted) => !isReady(each) || (state === 'settled' && !each.processed);
  const hasPayrollApprovals = own.some(({ payrollApproved }) => payrollApproved);
  return own
    .filter(isLeft)
    .toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)))
    .slice(0, MAX_LEFT_OVER)
    .map((each) => ({
      ...{ timesheetId: each.id, epoch: toIso(each.epoch), sequence: each.sequence },
      ...{ employeeId: each.employeeId, departmentId: each.departmentId, date: each.date },
      hours: toHours(each.units),
      missing: listMissing(each, { hasPayrollApprovals, isSettled: state === 'settled' }),
    }));
}

function listMissing(
  { lacksClockOut, approved, payrollApproved, processed }: Counted,
  { hasPayrollApprovals, isSettled }: { readonly hasPayrollApprovals: boolean; readonly isSettled: boolean },
): LeftOver['missing'] {
  return [
    ...(lacksClockOut ? (['clock_out'] as const) : []),
    ...(approved ? [] : (['approval'] as const)),
    ...(payrollApproved || !hasPayrollApprovals ? [] : (['payroll_approval'] as const)),
    ...(processed || !isSettled ? [] : (['processing'] as const)),
  ];
}

interface Found {
  readonly own: readonly Counted[];
  readonly unknown: readonly Counted[];
  readonly addsUp: boolean;
}

function listReserves(
  { dates, neverRead, closingSeenAt, isUnlisted }: PeriodView,
  { own, unknown, addsUp }: Found,
): Reserve[] {
  const ofDates = (kind: ReserveKind, concerned: readonly DateView[]): Reserve[] => {
    const [first, last] = [concerned[0], concerned.at(-1)];
    if (first === undefined || last === undefined) return [];
    return [{ kind, dates: { from: first.date, to: last.date }, timesheets: null }];
  };
  const ofTimesheets = (kind: ReserveKind, timesheets: number): Reserve[] =>
    timesheets === 0 ? [] : [{ kind, dates: null, timesheets }];
  const plain = (kind: ReserveKind, holds: boolean): Reserve[] =>
    holds ? [{ kind, dates: null, timesheets: null }] : [];
  return [
    ...ofDates(
      'dates_unread',
      dates.filter(({ lookedAt }) => lookedAt === null),
    ),
    ...ofDates(
      'dates_failing',
      dates.filter(({ lookedAt, isFailing }) => lookedAt !== null && isFailing),
    ),
    ...ofDates(
      'dates_doubtful',
      dates.filter(({ doubtSince }) => doubtSince !== null),
    ),
    ...ofDates('dates_before_closing', listReadBefore(dates, closingSeenAt)),
    ...ofTimesheets('records_unreadable', neverRead + own.filter(({ isUnseen }) => isUnseen).length),
    ...ofTimesheets('members_unknown', unknown.length),
    ...plain('totals_differ', !addsUp),
    ...plain('period_unlisted', isUnlisted),
  ];
}

/** Dates whose last look began before the closing was seen: what changed on them just before it may be missing. */
export function listReadBefore(dates: readonly DateView[], closingSeenAt: number | null): DateView[] {
  return dates.filter(
    ({ lookedAt }) => closingSeenAt !== null && lookedAt !== null && lookedAt < closingSeenAt,
  );
}
