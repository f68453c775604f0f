import * as z from 'zod';
import {
  EVENT_CATALOGUE,
  isSnapshotType,
  SHORT_EVENT_TYPES,
  type ShortEventType,
  type SnapshotType,
  toEventType,
} from '../../core/event-types.ts';
import { type Audience, type EventState, envelope, readText, recordData } from './record-events.ts';
import { nameOf } from './timesheet-fields.ts';
import { listAll } from './wording.ts';

export type OfDirectory = Exclude<
  Extract<ShortEventType, `${'employee' | 'department'}.${string}`>,
  'employee.forgotten'
>;
/** Types about a change of an employee or a department. */
export type DirectoryType = Exclude<OfDirectory, SnapshotType>;

const TYPES = SHORT_EVENT_TYPES.filter(
  (type): type is DirectoryType =>
    EVENT_CATALOGUE[type] === 'directory' && !isSnapshotType(toEventType(type)),
).map(toEventType);

/** Data about an employee or a department, as far as a sentence needs it. */
export const directoryDataSchema = z.looseObject({
  employeeId: z.string().optional(),
  departmentId: z.string().optional(),
  ...recordData,
});

/** An event about a change of an employee or a department, as far as its sentence needs it. */
export const directoryEventSchema = z.looseObject({
  ...envelope,
  type: z.enum(TYPES),
  data: directoryDataSchema,
});
export type DirectoryEvent = z.output<typeof directoryEventSchema>;

export function isDirectoryEvent(event: { readonly type: string }): event is DirectoryEvent {
  return TYPES.some((type) => type === event.type);
}

/** At the beginning of a sentence: `Jo Lee`, `Employee 1030_1`, `Employee ada`. */
function nameEmployee(id: string, audience: Pick<Audience, 'names'>): string {
  const name = nameOf(audience.names.employees, id, 'Employee ');
  return /^[A-Z0-9]/.test(name) ? name : `Employee ${name}`;
}

/** `Department Kitchen`. */
function nameDepartment(id: string, audience: Pick<Audience, 'names'>): string {
  return `Department ${nameOf(audience.names.departments, id)}`;
}

/** `Jo Lee`, `Employee 1030_1`, `Department Kitchen`. */
export function nameSubject(
  { data, subject = '' }: Pick<DirectoryEvent, 'data' | 'subject'>,
  audience: Audience,
): string {
  const { employeeId, departmentId = subject } = data;
  return employeeId === undefined
    ? nameDepartment(departmentId, audience)
    : nameEmployee(employeeId, audience);
}

/** A sentence without its full stop. */
export type Says = (event: DirectoryEvent, audience: Audience) => string;

export function describeArrival(event: DirectoryEvent, audience: Audience): string {
  const employee = nameSubject(event, audience);
  const places = nameDepartments(readIds(event.data.current), audience);
  return places === '' ? `${employee} joined` : `${employee} joined ${places}`;
}

export function describeDeparture(event: DirectoryEvent, audience: Audience): string {
  const employee = nameSubject(event, audience);
  const places = nameDepartments(readIds(event.data.previous), audience);
  return places === '' ? `${employee} left` : `${employee} left ${places}`;
}

export function describeMove(event: DirectoryEvent, audience: Audience): string {
  const [before, now] = [readIds(event.data.previous), readIds(event.data.current)];
  const [left, come] = [before.filter((id) => !now.includes(id)), now.filter((id) => !before.includes(id))];
  const [from, to] = [nameDepartments(left, audience), nameDepartments(come, audience)];
  const employee = nameSubject(event, audience);
  if (come.length === 0) return `${employee} works in ${from} no more`;
  if (left.length > 0) return `${employee} moved from ${from} to ${to}`;
  return before.length === 0 ? `${employee} works in ${to}` : `${employee} works in ${to} as well`;
}

/** A manager without an id, which `current` shows as none, may be another one. */
export function describeManager(event: DirectoryEvent, audience: Audience): string {
  const department = nameSubject(event, audience);
  const id = readText(event.data.current, 'managerId');
  if (id === null)
    return event.data.changed.includes('managerName')
      ? `${department} has another manager, or none`
      : `${department} has no manager any more`;
  return `${department} is managed by ${nameOf(audience.names.employees, id, 'employee ')} now`;
}

/** `Kitchen and Bar`. */
function nameDepartments(ids: readonly string[], audience: Audience): string {
  const known = ids.map((id) => nameOf(audience.names.departments, id, 'department '));
  return listAll(known);
}

function readIds(state: EventState): readonly string[] {
  const ids = state?.departmentIds;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}
