import type { ChangedTimesheet, DepartmentAccount, LeftOver } from '../../core/periods/account-data.ts';
import type { Tolerant } from '../../core/tolerant.ts';
import { type AccountReader, type ToldAccount, toContext } from './account-sentences.ts';
import { cleanText, fitLine } from './clean-text.ts';
import { formatDay, formatMoment } from './moments.ts';
import { formatChange, formatCount, formatHours, formatNumber } from './numbers.ts';
import type { Audience } from './record-events.ts';
import { callRecord, nameOf } from './timesheet-fields.ts';
import { findEntry, listFirst } from './wording.ts';

/** A line below the sentence of an alert. */
export interface DetailLine {
  readonly text: string;
  /** Below a department; otherwise it is one. */
  readonly isInner: boolean;
  /** What stands out in it: a name. */
  readonly strong: readonly string[];
  /** What people open for it; null when it is about more than a person. */
  readonly record: { readonly timesheetId: string; readonly employeeId: string } | null;
}

/** Up to this many timesheets each employee has a line; beyond that each department has. */
const MAX_TIMESHEETS_BY_EMPLOYEE = 25;
/** Departments with a line of their own; the others share one. */
const MAX_DEPARTMENTS = 12;
/** Dates of an employee, and first timesheets of a department, that a line names. */
const MAX_NAMED = 4;
/** Timesheets that changed, which have a line of their own. */
const MAX_CHANGED = 12;

type Reader = AccountReader & Pick<Audience, 'names'>;
type Department = Tolerant<DepartmentAccount>;
type Timesheet = Tolerant<LeftOver>;

/**
 * Whose timesheets are not approved, by department: each employee with dates, hours and what is missing besides the
 * approval. Where that would be too long, the first timesheets of each department.
 */
export function listNotApproved(account: ToldAccount, reader: Reader): DetailLine[] {
  const { notReady } = account;
  const left = account.leftOver.filter(({ missing }) => missing.includes('approval'));
  const departments = account.byDepartment.filter((each) => each.notReady.timesheets > 0);
  const ofDepartment = Map.groupBy(left, ({ departmentId }) => departmentId);
  const isWhole = notReady.timesheets <= MAX_TIMESHEETS_BY_EMPLOYEE && left.length === notReady.timesheets;
  if (isWhole)
    return departments.flatMap((department) => [
      toLine(sayDepartment(department, reader), nameDepartment(department, reader)),
      ...listEmployees(ofDepartment.get(department.departmentId) ?? [], reader),
    ]);
  const shown = departments
    .toSorted((a, b) => b.notReady.timesheets - a.notReady.timesheets)
    .slice(0, MAX_DEPARTMENTS);
  const others = notReady.timesheets - shown.reduce((sum, each) => sum + each.notReady.timesheets, 0);
  const lines = shown.map((each) => {
    const first = sayFirst(each, ofDepartment.get(each.departmentId) ?? [], reader);
    return toLine(`${sayDepartment(each, reader)}${first}`, nameDepartment(each, reader));
  });
  return others === 0 ? lines : [...lines, toLine(`Other departments: ${formatNumber(others)} not approved`)];
}

function toLine(text: string, ...strong: readonly string[]): DetailLine {
  return { text: fitLine(text), isInner: false, strong, record: null };
}

function nameDepartment({ departmentId }: Department, { names }: Pick<Reader, 'names'>): string {
  return callRecord(departmentId, 'Department', names.departments);
}

/** ` (Ana Lee)`, ` (manager 2001_1)`; nothing where nobody is known to manage it. */
function sayManager({ departmentId }: Department, { names }: Pick<Reader, 'names'>): string {
  const manager = names.managers.get(departmentId ?? '');
  return manager === undefined ? '' : ` (${nameOf(names.employees, manager, 'manager ')})`;
}

/** `Kitchen (Ana Lee): 5 of 40 not approved, 38.5 h`. */
function sayDepartment(department: Department, reader: Reader): string {
  const name = `${nameDepartment(department, reader)}${sayManager(department, reader)}`;
  const { notReady, timesheets } = department;
  const of = `${formatNumber(notReady.timesheets)} of ${formatNumber(timesheets)}`;
  return `${name}: ${of} not approved, ${formatHours(notReady.hours)}`;
}

/** `Kitchen (Ana Lee) 3`, `Front Desk 2`, of a daily summary: those with most first. */
export function listWaitingDepartments(
  { byDepartment }: ToldAccount,
  audience: Pick<Audience, 'names'>,
): string[] {
  return byDepartment
    .filter(({ notReady }) => notReady.timesheets > 0)
    .toSorted((a, b) => b.notReady.timesheets - a.notReady.timesheets)
    .map(
      (each) =>
        `${nameDepartment(each, audience)}${sayManager(each, audience)} ${formatNumber(each.notReady.timesheets)}`,
    );
}

/** `: Ana Lee Thu 12 Nov 8 h, Ben Fox Thu 12 Nov 7.5 h and 47 more`. */
function sayFirst({ notReady }: Department, timesheets: readonly Timesheet[], reader: Reader): string {
  const first = timesheets
    .slice(0, MAX_NAMED)
    .map((each) => `${nameEmployee(each, reader)} ${sayDate(each, reader)}`);
  return first.length === 0 ? '' : `: ${listFirst(first, notReady.timesheets - first.length)}`;
}

function nameEmployee({ employeeId }: Pick<Timesheet, 'employeeId'>, { names }: Reader): string {
  return callRecord(employeeId, 'Employee', names.employees);
}

/** `Ana Lee: Thu 12 Nov 8 h, Fri 13 Nov 7.5 h (no clock-out)`: a line for each employee. */
function listEmployees(timesheets: readonly Timesheet[], reader: Reader): DetailLine[] {
  return [...Map.groupBy(timesheets, ({ employeeId }) => employeeId)].map(([employeeId, own]) => {
    const name = nameEmployee({ employeeId }, reader);
    const dates = own.slice(0, MAX_NAMED).map((each) => sayDate(each, reader));
    const timesheetId = own[0]?.timesheetId;
    return {
      text: fitLine(`${name}: ${listFirst(dates, own.length - dates.length)}`),
      isInner: true,
      strong: [name],
      record: timesheetId === undefined || employeeId === null ? null : { timesheetId, employeeId },
    };
  });
}

/** `Fri 13 Nov 7.5 h (no clock-out)`. */
function sayDate({ date, hours, missing }: Timesheet, reader: Reader): string {
  const day = date === null ? 'no date' : formatDay(date, toContext(reader));
  return `${day} ${formatHours(hours)}${missing.includes('clock_out') ? ' (no clock-out)' : ''}`;
}

/** How a difference came about. */
const REASONS = {
  approved: 'approved',
  revoked: 'approval revoked',
  added: 'added',
  removed: 'removed',
  changed: 'changed',
} as const;

/**
 * What changed since it was told, timesheet by timesheet: `Since Tue 17 Nov 10:30, in these figures: +25 h in 3 timesheets`,
 * and below it `Ana Lee Tue 10 Nov: +9 h, approved`.
 */
export function listChangedTimesheets(
  { changes }: Pick<ToldAccount, 'changes'>,
  reader: Reader,
): DetailLine[] {
  if (changes === null || changes.timesheets === 0) return [];
  const { hours, timesheets, listed } = changes;
  const since = formatMoment(Date.parse(changes.since), { ...toContext(reader), day: null });
  const sum = `${formatChange(hours)} in ${formatCount(timesheets, 'timesheet')}`;
  const shown = listed.slice(0, MAX_CHANGED).map((each) => ({
    ...toLine(sayChange(each, reader), nameChanged(each, reader)),
    isInner: true,
  }));
  const more = timesheets - shown.length;
  return [
    toLine(`Since ${since}, in these figures: ${sum}`),
    ...shown,
    ...(more > 0 ? [{ ...toLine(`${formatNumber(more)} more`), isInner: true }] : []),
  ];
}

type Changed = Tolerant<ChangedTimesheet>;

function sayChange(changed: Changed, reader: Reader): string {
  const { date, difference } = changed;
  const day = date === null ? '' : ` ${formatDay(date, toContext(reader))}`;
  return `${nameChanged(changed, reader)}${day}: ${formatChange(difference)}, ${sayReason(changed)}`;
}

/** `approval revoked`, `moved to another period`. */
export function sayReason({ reason, now }: Pick<Changed, 'reason' | 'now'>): string {
  if (reason === 'moved') return now === null ? 'moved to another period' : 'moved from another period';
  return findEntry<string>(REASONS, reason) ?? cleanText(reason);
}

/** Of one that is gone, it is not known whose it was. */
function nameChanged({ employeeId, timesheetId }: Changed, reader: Reader): string {
  return employeeId === null ? `Timesheet ${cleanText(timesheetId)}` : nameEmployee({ employeeId }, reader);
}

/** `Still open since Tue 17 Nov 10:30: +1 h in 1 timesheet`, of a period that was told before; null for nothing. */
export function sayStillOpen({ changes }: ToldAccount, reader: AccountReader): string | null {
  if (changes === null || changes.open.timesheets === 0) return null;
  const { timesheets, hours } = changes.open;
  const since = formatMoment(Date.parse(changes.since), { ...toContext(reader), day: null });
  const known = changes.complete ? '' : ', as far as known';
  return `Still open since ${since}: ${formatChange(hours)} in ${formatCount(timesheets, 'timesheet')}${known}`;
}
