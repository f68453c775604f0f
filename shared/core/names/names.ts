/** Kinds of record whose names the directory knows. */
export const NAMED_KINDS = ['employees', 'departments', 'activities', 'organisations'] as const;
export type NamedKind = (typeof NAMED_KINDS)[number];

/**
 * Names by id, for those kinds that may be shown; a kind that may not is empty. Names come from the source as they
 * are: whoever shows them escapes them for the medium.
 */
export type Names = Readonly<Record<NamedKind, ReadonlyMap<string, string>>>;

/** Names for whoever may see none. */
export const NO_NAMES: Names = {
  employees: new Map(),
  departments: new Map(),
  activities: new Map(),
  organisations: new Map(),
};
