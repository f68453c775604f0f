/** Kinds of record whose names are stored. */
export const NAMED_KINDS = ['employees', 'departments', 'activities', 'organisations'] as const;
export type NamedKind = (typeof NAMED_KINDS)[number];

/**
 * Names by id. A kind that may not be shown is empty. Names are as the source wrote them, not escaped for any medium.
 */
export type Names = Readonly<Record<NamedKind, ReadonlyMap<string, string>>>;

/** For readers who may see ids only. */
export const NO_NAMES: Names = {
  employees: new Map(),
  departments: new Map(),
  activities: new Map(),
  organisations: new Map(),
};
