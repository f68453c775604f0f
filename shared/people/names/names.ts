import type { DirectoryFeed } from '../../core/feeds.ts';

/** Kinds of records that people may see the names of, and by their department those who manage it. */
export const NAMED_KINDS = ['employees', 'departments', 'managers'] as const;
export type NamedKind = (typeof NAMED_KINDS)[number];

/** The feed whose records have the names of a kind. */
export const FEED_OF_NAMES = {
  employees: 'employees',
  departments: 'departments',
  managers: 'departments',
} as const satisfies Record<NamedKind, DirectoryFeed>;

/**
 * Names by id. A kind that may not be shown is empty. Names are not escaped for any medium. `managers` has what the
 * source gives by the id of a department: the id of an employee, or a name.
 */
export type Names = Readonly<Record<NamedKind, ReadonlyMap<string, string>>>;

/** For readers who may see ids only. */
export const NO_NAMES: Names = { employees: new Map(), departments: new Map(), managers: new Map() };
