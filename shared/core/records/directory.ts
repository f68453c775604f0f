import { hash } from 'node:crypto';
import * as z from 'zod';
import { isRecord, type Json, type WatchedField } from './fields.ts';
import { makeWellFormed } from './notation.ts';
import { id, isNothing, nothingToNull, readReferenceId, text } from './values.ts';

/** Far above any real roster, and far below what a leaf or an event can hold. */
const MAX_DEPARTMENTS = 200;
const FINGERPRINT_DIGITS = 16;
/** The form that the specification gives to identifiers. */
const IDENTIFIER = /^\d+_\d+$/;

/** The watched fields of an employee (docs/source-api.md, Employees): neither names nor hours. */
export const employeeStateSchema = z.strictObject({
  /** Of the entries of contracted hours, each once, sorted. */
  departmentIds: z.array(id).max(MAX_DEPARTMENTS),
});
type EmployeeState = z.output<typeof employeeStateSchema>;

/** The watched fields in stored order. Append only, see `TIMESHEET_FIELDS`. */
export const EMPLOYEE_FIELDS: readonly WatchedField<EmployeeState>[] = [
  { name: 'departmentIds', read: (record) => readDepartmentIds(record.contractedHours) },
];

const fingerprint = text.min(1);

/** What events show of a department. */
export const shownDepartmentSchema = z.strictObject({
  /** Id of its manager; null where it has none, or the source names one without an id. */
  managerId: id.nullable(),
});

/**
 * The watched fields of a department (docs/source-api.md, Departments). A name is stored as a fingerprint, by which a
 * change of it is seen, and shown to nobody.
 */
export const departmentStateSchema = shownDepartmentSchema.extend({
  name: fingerprint,
  /** Of a manager whom the source names without an id. */
  managerName: fingerprint.nullable(),
});
type DepartmentState = z.output<typeof departmentStateSchema>;

/** The watched fields in stored order. Append only, see `TIMESHEET_FIELDS`. */
export const DEPARTMENT_FIELDS: readonly WatchedField<DepartmentState>[] = [
  {
    name: 'name',
    read: ({ name }) => (typeof name === 'string' ? toFingerprint(name) : undefined),
    hidden: true,
  },
  { name: 'managerId', read: ({ manager }) => (isIdentifier(manager) ? manager : unlessNamed(manager)) },
  {
    name: 'managerName',
    read: ({ manager }) => (isName(manager) ? toFingerprint(manager) : null),
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
  return managerId === employeeId || (name !== null && managerName === toFingerprint(name));
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

function toFingerprint(name: string): string {
  return hash('sha256', makeWellFormed(name.trim()), 'hex').slice(0, FINGERPRINT_DIGITS);
}
