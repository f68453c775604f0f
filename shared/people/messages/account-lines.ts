import type { ChangedTimesheet, DepartmentAccount, LeftOver } from '../../core/periods/account-data.ts';
import type { Tolerant } from '../../core/tolerant.ts';
import { bold, type Line } from '../message.ts';
import type { ToldAccount } from '../read-events.ts';
import { callRecord, nameOf, type Reader } from '../reader.ts';
import { type AccountReader, toContext } from './account-sentences.ts';
import { cleanText } from './clean-text.ts';
import { formatDay } from './moments.ts';
import { formatChange, formatCount, formatHours, formatNumber } from './numbers.ts';
import { findEntry } from './wording.ts';

/** Up to this many timesheets each has a line; of more, each department has one. */
export const MAX_LISTED_LINES = 10;

type NamingReader = AccountReader & Pick<Reader, 'names'>;
type Department = Tolerant<DepartmentAccount>;
type Changed = Tolerant<ChangedTimesheet>;

/** Whose timesheets are not approved: each on a line below the one before, or the departments that have them. */
export function listNotApproved(account: ToldAccount, reader: NamingReader): Line[] {
  const left = account.leftOver.filter(({ missing }) => missing.includes('approval'));
  if (left.length === account.notReady.timesheets && left.length <= MAX_LISTED_LINES)
    return left.map((each) => toLeftLine(each, reader));
  const departments = listWaiting(account);
  const shown = departments.slice(0, MAX_LISTED_LINES);
  const others = sum(departments.slice(MAX_LISTED_LINES));
  return [
    ...shown.map((each) => toDepartmentLine(each, reader)),
    ...(others === 0 ? [] : [inner(`Other departments: ${formatNumber(others)} not approved`)]),
  ];
}

/** `Warehouse 3, Front Desk 2, Kitchen 1`: those with most first, and how many wait in the rest. */
export function nameWaiting(account: ToldAccount, reader: Pick<Reader, 'names'>, max: number): string {
  const departments = listWaiting(account);
  const shown = departments
    .slice(0, max)
    .map((each) => `${nameDepartment(each, reader)} ${formatNumber(each.notReady.timesheets)}`);
  const others = sum(departments.slice(max));
  return [...shown, ...(others === 0 ? [] : [`others ${formatNumber(others)}`])].join(', ');
}

function listWaiting({ byDepartment }: ToldAccount): Department[] {
  return byDepartment
    .filter(({ notReady }) => notReady.timesheets > 0)
    .toSorted((a, b) => b.notReady.timesheets - a.notReady.timesheets);
}

function sum(departments: readonly Department[]): number {
  return departments.reduce((total, { notReady }) => total + notReady.timesheets, 0);
}

/** `Alex Example 9, Warehouse, Mon 26 Oct: 7.5 h (no clock-out)`. */
function toLeftLine(left: Tolerant<LeftOver>, reader: NamingReader): Line {
  const { employeeId, departmentId, date, hours, missing } = left;
  const { names } = reader;
  const place = departmentId === null || names.departments.size === 0 ? [] : [nameDepartment(left, reader)];
  const day = date === null ? 'no date' : formatDay(date, toContext(reader));
  const lacks = missing.includes('clock_out') ? ' (no clock-out)' : '';
  const rest = `, ${[...place, day].join(', ')}: ${formatHours(hours)}${lacks}`;
  return { spans: [bold(callRecord(employeeId, 'Employee', names.employees)), rest], isInner: true };
}

/** `Kitchen (Ana Lee): 5 not approved, 38.5 h`. */
function toDepartmentLine(department: Department, reader: NamingReader): Line {
  const { notReady, departmentId } = department;
  const manager = reader.names.managers.get(departmentId ?? '');
  const by = manager === undefined ? '' : ` (${nameOf(reader.names.employees, manager, 'manager ')})`;
  const waits = `${by}: ${formatNumber(notReady.timesheets)} not approved, ${formatHours(notReady.hours)}`;
  return { spans: [bold(nameDepartment(department, reader)), waits], isInner: true };
}

function nameDepartment(
  { departmentId }: { readonly departmentId: string | null },
  { names }: Pick<Reader, 'names'>,
): string {
  return callRecord(departmentId, 'Department', names.departments);
}

/** Of timesheets whose hours changed, a line each: `Frankie Example 22, 28 Oct: +1 h, changed`. */
export function listChanged(
  changed: readonly Changed[],
  { timesheets, reader }: { readonly timesheets: number; readonly reader: NamingReader },
): Line[] {
  const shown = changed.slice(0, MAX_LISTED_LINES);
  const more = timesheets - shown.length;
  return [
    ...shown.map((each) => toChangedLine(each, reader)),
    ...(more > 0 ? [inner(`and ${formatCount(more, 'more timesheet')}`)] : []),
  ];
}

function toChangedLine(changed: Changed, reader: NamingReader): Line {
  const { date, difference, employeeId, timesheetId } = changed;
  const day = date === null ? '' : `, ${formatDay(date, toContext(reader))}`;
  // Of one that is gone, it is not known whose it was.
  const who =
    employeeId === null
      ? `Timesheet ${cleanText(timesheetId)}`
      : callRecord(employeeId, 'Employee', reader.names.employees);
  return { spans: [bold(who), `${day}: ${formatChange(difference)}, ${sayReason(changed)}`], isInner: true };
}

/** How a difference came about. */
const REASONS = {
  approved: 'approved',
  revoked: 'approval revoked',
  added: 'added',
  removed: 'removed',
  changed: 'changed',
} as const;

/** `approval revoked`, `moved to another period`. */
export function sayReason({ reason, now }: Pick<Changed, 'reason' | 'now'>): string {
  if (reason === 'moved') return now === null ? 'moved to another period' : 'moved from another period';
  return findEntry<string>(REASONS, reason) ?? cleanText(reason);
}

function inner(text: string): Line {
  return { spans: [text], isInner: true };
}
