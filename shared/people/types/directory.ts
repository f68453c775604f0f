import { type EventState, readText } from '../event-state.ts';
import { bold, type Spans } from '../message.ts';
import { listAll } from '../messages/wording.ts';
import type { DirectoryEvent } from '../read-events.ts';
import { nameOf, type Reader } from '../reader.ts';
import type { TypeEntry } from './entry.ts';

/** `Jo Lee`, `Employee 1030_1`, `Department Kitchen`. */
export function nameSubject(
  { data, subject = '' }: Pick<DirectoryEvent, 'data' | 'subject'>,
  { names }: Pick<Reader, 'names'>,
): string {
  const { employeeId, departmentId = subject } = data;
  if (employeeId === undefined) return `Department ${nameOf(names.departments, departmentId)}`;
  const name = nameOf(names.employees, employeeId, 'Employee ');
  return /^[A-Z0-9]/.test(name) ? name : `Employee ${name}`;
}

function says(facts: (event: DirectoryEvent, reader: Reader) => string) {
  return (event: DirectoryEvent, reader: Reader): Spans => [
    bold(nameSubject(event, reader)),
    ` ${facts(event, reader)}`,
  ];
}

function sayMove({ data }: DirectoryEvent, reader: Reader): string {
  const [before, now] = [readIds(data.previous), readIds(data.current)];
  const [left, come] = [before.filter((id) => !now.includes(id)), now.filter((id) => !before.includes(id))];
  const [from, to] = [nameDepartments(left, reader), nameDepartments(come, reader)];
  if (come.length === 0) return `works in ${from} no more`;
  if (left.length > 0) return `moved from ${from} to ${to}`;
  return before.length === 0 ? `works in ${to}` : `works in ${to} as well`;
}

/** A manager without an id, which `current` shows as none, may be another one. */
function sayManager({ data }: DirectoryEvent, { names }: Reader): string {
  const id = readText(data.current, 'managerId');
  if (id !== null) return `is managed by ${nameOf(names.employees, id, 'employee ')} now`;
  return data.changed.includes('managerName') ? 'has another manager, or none' : 'has no manager any more';
}

/** ` Kitchen and Bar`. */
function sayPlaces(state: EventState, reader: Reader): string {
  const places = nameDepartments(readIds(state), reader);
  return places === '' ? '' : ` ${places}`;
}

function nameDepartments(ids: readonly string[], { names }: Reader): string {
  return listAll(ids.map((id) => nameOf(names.departments, id, 'department ')));
}

function readIds(state: EventState): readonly string[] {
  const ids = state?.departmentIds;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

export const DIRECTORY = {
  'employee.joined': {
    counted: ['employee joined', 'employees joined'],
    says: says(({ data }, reader) => `joined${sayPlaces(data.current, reader)}`),
  },
  'employee.moved': {
    counted: ['employee moved', 'employees moved'],
    says: says(sayMove),
  },
  'employee.left': {
    counted: ['employee left', 'employees left'],
    says: says(({ data }, reader) => `left${sayPlaces(data.previous, reader)}`),
  },
  'department.added': {
    counted: ['department added', 'departments added'],
    says: says(() => 'was added'),
  },
  'department.renamed': {
    counted: ['department renamed', 'departments renamed'],
    says: says(() => 'has another name'),
  },
  'department.manager_changed': {
    counted: ['department with another manager', 'departments with another manager'],
    says: says(sayManager),
  },
  'department.removed': {
    counted: ['department removed', 'departments removed'],
    says: says(() => 'was removed'),
  },
} as const satisfies Readonly<Record<string, TypeEntry<DirectoryEvent>>>;
