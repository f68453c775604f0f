import { fitLine } from './clean-text.ts';
import { formatDay, type MessageTimeContext } from './moments.ts';
import { formatCount, formatHours, formatNumber } from './numbers.ts';
import { callRecord, countUnapproved, type ReadinessEvent } from './readiness-sentences.ts';
import { type Audience, toTimeContext } from './record-events.ts';
import { nameOf } from './timesheet-fields.ts';
import { listFirst } from './wording.ts';

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

type Timesheet = ReadinessEvent['data']['readiness']['waiting'][number];
type Department = ReadinessEvent['data']['readiness']['byDepartment'][number];

interface Reader {
  readonly audience: Audience;
  readonly timeContext: MessageTimeContext;
}

/**
 * Who has to do what, by department: each employee with dates, hours and what is missing besides the approval. Where
 * that would be too long, the first timesheets of each department.
 */
export function listReadinessDetails(event: ReadinessEvent, audience: Audience): DetailLine[] {
  const { unapproved, waiting, byDepartment } = event.data.readiness;
  const reader = { audience, timeContext: toTimeContext(event.time, audience) };
  const ofDepartment = Map.groupBy(waiting, ({ departmentId }) => departmentId);
  const isWhole = unapproved <= MAX_TIMESHEETS_BY_EMPLOYEE && waiting.length === unapproved;
  if (isWhole) {
    return byDepartment.flatMap((department) => [
      toLine(describeDepartment(department, reader), nameDepartment(department, reader)),
      ...listEmployees(ofDepartment.get(department.departmentId) ?? [], reader),
    ]);
  }
  const largest = byDepartment.toSorted((a, b) => b.unapproved - a.unapproved);
  const shown = largest
    .slice(0, MAX_DEPARTMENTS)
    .map((each) =>
      toLine(
        `${describeDepartment(each, reader)}${describeFirst(each, ofDepartment.get(each.departmentId) ?? [], reader)}`,
        nameDepartment(each, reader),
      ),
    );
  return [...shown, ...describeOthers(event, largest)];
}

function toLine(text: string, ...strong: readonly string[]): DetailLine {
  return { text: fitLine(text), isInner: false, strong, record: null };
}

function nameDepartment({ departmentId }: Department, { audience }: Pick<Reader, 'audience'>): string {
  return callRecord(departmentId, 'Department', audience.names.departments);
}

/** ` (Ana Lee)`, ` (manager 2001_1)`; nothing where nobody is known to manage it. */
function describeManager(
  { departmentId }: Pick<Department, 'departmentId'>,
  { names }: Pick<Audience, 'names'>,
): string {
  const manager = names.managers.get(departmentId ?? '');
  if (manager === undefined) return '';
  return ` (${nameOf(names.employees, manager, 'manager ')})`;
}

/** `Kitchen (Ana Lee): 5 of 40 not approved, 38.5 h`. */
function describeDepartment(department: Department, reader: Reader): string {
  const name = `${nameDepartment(department, reader)}${describeManager(department, reader.audience)}`;
  return `${name}: ${countUnapproved(department)} not approved, ${formatHours(department.unapprovedHours)}`;
}

/** `Kitchen (Ana Lee) 3`, `Front Desk 2`, of a daily summary: those with most first. */
export function listWaitingDepartments({ data }: ReadinessEvent, audience: Audience): string[] {
  return data.readiness.byDepartment
    .toSorted((a, b) => b.unapproved - a.unapproved)
    .map(
      (each) =>
        `${nameDepartment(each, { audience })}${describeManager(each, audience)} ${formatNumber(each.unapproved)}`,
    );
}

/** `: Ana Lee Thu 12 Nov 8 h, Ben Fox Thu 12 Nov 7.5 h and 47 more`. */
function describeFirst(
  { unapproved }: Department,
  timesheets: readonly Timesheet[],
  { audience, timeContext }: Reader,
): string {
  const first = timesheets.slice(0, MAX_NAMED).map((each) => {
    const name = callRecord(each.employeeId, 'Employee', audience.names.employees);
    return `${name} ${describeDate(each, timeContext)}`;
  });
  return first.length === 0 ? '' : `: ${listFirst(first, unapproved - first.length)}`;
}

function describeOthers({ data }: ReadinessEvent, largest: readonly Department[]): DetailLine[] {
  const { departments, unapproved } = data.readiness;
  const shown = largest.slice(0, MAX_DEPARTMENTS);
  if (departments <= shown.length) return [];
  const others = unapproved - shown.reduce((sum, each) => sum + each.unapproved, 0);
  const unapprovedOnes = `${formatNumber(others)} not approved`;
  return [toLine(`${formatCount(departments - shown.length, 'other department')}: ${unapprovedOnes}`)];
}

/** `Ana Lee: Thu 12 Nov 8 h, Fri 13 Nov 7.5 h (no clock-out)`: a line for each employee. */
function listEmployees(timesheets: readonly Timesheet[], { audience, timeContext }: Reader): DetailLine[] {
  return [...Map.groupBy(timesheets, ({ employeeId }) => employeeId)].map(([employeeId, own]) => {
    const name = callRecord(employeeId, 'Employee', audience.names.employees);
    const dates = own.slice(0, MAX_NAMED).map((each) => describeDate(each, timeContext));
    const [first] = own;
    return {
      text: fitLine(`${name}: ${listFirst(dates, own.length - dates.length)}`),
      isInner: true,
      strong: [name],
      record:
        first === undefined || employeeId === null ? null : { timesheetId: first.timesheetId, employeeId },
    };
  });
}

/** `Fri 13 Nov 7.5 h (no clock-out)`. */
function describeDate({ date, hours, missing }: Timesheet, timeContext: MessageTimeContext): string {
  const day = date === null ? 'no date' : formatDay(date, timeContext);
  const lack = missing.includes('clock_out') ? ' (no clock-out)' : '';
  return `${day} ${formatHours(hours)}${lack}`;
}
