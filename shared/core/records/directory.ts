import * as z from 'zod';
import { isRecord, type Json, type SourceRecord, type WatchedField } from './fields.ts';
import { id, isNothing, nothingToNull, readReferenceId } from './values.ts';

/** Far above any real roster, and far below what a bucket or an event can hold. */
const MAX_DEPARTMENTS = 200;
/** Of a name as it came, which may be mostly spaces. */
const MAX_NAME_CHARACTERS = 1_000;
/** Control characters, line separators and direction marks, which would break a line or reverse it. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu;
/** The form that the specification gives to identifiers. */
const IDENTIFIER = /^\d+_\d+$/;

const name = z.string().min(1);

/** What events show of an employee. */
export const shownEmployeeSchema = z.strictObject({
  /** Of the entries of contracted hours, each once, sorted. */
  departmentIds: z.array(id).max(MAX_DEPARTMENTS),
});

/** The watched fields of an employee (docs/source-api.md, Employees), and the name that messages call him by. */
export const employeeStateSchema = shownEmployeeSchema.extend({
  /** Null where the source has none that can be read: then he is called by his id. */
  name: name.nullable(),
});
type EmployeeState = z.output<typeof employeeStateSchema>;

/** The watched fields in stored order. Append only, see `TIMESHEET_FIELDS`. */
export const EMPLOYEE_FIELDS: readonly WatchedField<EmployeeState>[] = [
  { name: 'departmentIds', read: (record) => readDepartmentIds(record.contractedHours) },
  { name: 'name', read: readPersonName, hidden: true, silent: true },
];

/** What events show of a department. */
export const shownDepartmentSchema = z.strictObject({
  /** Id of its manager; null where it has none, or the source names one without an id. */
  managerId: id.nullable(),
});

/**
 * The watched fields of a department (docs/source-api.md, Departments). Names are for messages to people; no event shows
 * them.
 */
export const departmentStateSchema = shownDepartmentSchema.extend({
  name,
  /** Of a manager whom the source names without an id. */
  managerName: name.nullable(),
});
type DepartmentState = z.output<typeof departmentStateSchema>;

/** The watched fields in stored order. Append only, see `TIMESHEET_FIELDS`. */
export const DEPARTMENT_FIELDS: readonly WatchedField<DepartmentState>[] = [
  {
    name: 'name',
    read: ({ name }) => (typeof name === 'string' ? cleanName(name) : undefined),
    hidden: true,
  },
  { name: 'managerId', read: ({ manager }) => (isIdentifier(manager) ? manager : unlessNamed(manager)) },
  {
    name: 'managerName',
    read: ({ manager }) => (isName(manager) ? cleanName(manager) : null),
    hidden: true,
  },
];

/** In place of a manager's name that was forgotten: whomever the source names next is another one. */
const FORGOTTEN = 'forgotten';

/** Whether the row of a department names an employee as its manager, by id or by name (null when it is not known). */
export function isManagedBy(
  row: readonly Json[],
  { employeeId, name }: { readonly employeeId: string; readonly name: string | null },
): boolean {
  const { managerId, managerName } = Object.fromEntries(
    DEPARTMENT_FIELDS.map((field, index) => [field.name, row[index]]),
  );
  return managerId === employeeId || (name !== null && managerName === name);
}

/** The row of a department with a manager of whom nothing is known. */
export function withoutManager(row: readonly Json[]): readonly Json[] {
  const forgotten = new Map<string, Json>([
    ['managerId', null],
    ['managerName', FORGOTTEN],
  ]);
  return DEPARTMENT_FIELDS.map(({ name }, index) => (forgotten.has(name) ? forgotten.get(name) : row[index]));
}

/** Undefined, which makes the record bad, unless every entry says which department it is for. */
function readDepartmentIds(entries: unknown): Json {
  if (!Array.isArray(entries)) return undefined;
  const ids = entries.map((entry) => (isRecord(entry) ? readReferenceId(entry.department) : undefined));
  if (ids.some((each) => each !== null && typeof each !== 'string')) return undefined;
  return [...new Set(ids.filter((each) => typeof each === 'string'))].sort();
}

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value) && !isNothing(value);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && !isNothing(value) && !isIdentifier(value);
}

/** A manager without an id counts as none; what is no text stays as it is, which makes the record bad. */
function unlessNamed(value: unknown): Json {
  return isName(value) ? null : nothingToNull(value);
}

function readPersonName({ firstNames, lastName }: SourceRecord): Json {
  if (typeof firstNames !== 'string' || typeof lastName !== 'string') return null;
  return cleanName(`${firstNames} ${lastName}`) || null;
}

/** A name on one line without control characters. Not escaped for any medium. */
function cleanName(name: string): string {
  return name.slice(0, MAX_NAME_CHARACTERS).replace(INVISIBLE, ' ').trim();
}
