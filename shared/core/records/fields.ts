export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Json[]
  | { readonly [key: string]: Json };

/** What reading a record depends on besides the record. */
export interface Door {
  /** The connection's, for date-times without an offset. */
  readonly timeZone: string;
  /** The last date of a fact that is believed (rule 20). */
  readonly lastDate: string;
}

/** One watched value of a record (rule 8). */
export interface WatchedField<State> {
  readonly name: keyof State & string;
  readonly read: (record: SourceRecord, door: Door) => Json;
  /** Members of a composite value, which is stored as the list of their values. */
  readonly members?: readonly string[];
  /** The value is a list of such composites. */
  readonly many?: true;
  /** No event shows its value: `changed` names it, and nothing else does. */
  readonly hidden?: true;
  /** A change of it alone is stored and makes no event. */
  readonly silent?: true;
}

/** Stored for a member that the record lacks: JSON has no undefined, and no schema here accepts an empty object. */
const MISSING: Json = {};

export function markMissing(value: Json): Json {
  return value === undefined ? MISSING : value;
}

/** A stored composite value as an object with the members that were stored; any other value as it is. */
export function nameMembers({ members, many }: WatchedField<never>, value: Json): Json {
  if (members === undefined || !Array.isArray(value)) return value;
  return many === true
    ? value.map((each: Json) => nameMembersOfOne(members, each))
    : nameMembersOfOne(members, value);
}

function nameMembersOfOne(members: readonly string[], value: Json): Json {
  if (!Array.isArray(value)) return value;
  const named: Record<string, Json> = {};
  members.forEach((member, index) => {
    if (index < value.length) named[member] = value[index] as Json;
  });
  return named;
}

/** Watched values by name. */
export type State = Readonly<Record<string, Json>>;

/** A record as parsed from JSON. */
export type SourceRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is SourceRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
