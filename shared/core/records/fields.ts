/**
 * Readers of single values of a source record. They never throw and never change a value's meaning, so that the
 * digest of an unchanged record can be taken before the record is checked: what a reader makes of a bad value
 * differs from what it makes of a good one, and the schema then says what is wrong.
 */
export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Json[]
  | { readonly [key: string]: Json };

/** One watched value of a record (rule 8). */
export interface WatchedField<State> {
  readonly name: keyof State & string;
  readonly read: (record: SourceRecord) => Json;
  /** Names of the members of a composite value, which is stored as a list of them. */
  readonly members?: readonly string[];
  /** The value is a list of such composites. */
  readonly many?: true;
}

/** Stands for a member that the record does not have. JSON has no undefined, and no schema here accepts this. */
const MISSING: Json = {};

export function markMissing(value: Json): Json {
  return value === undefined ? MISSING : value;
}

/** A stored value with its members named again. */
export function nameMembers({ members, many }: WatchedField<never>, value: Json): Json {
  if (members === undefined || !Array.isArray(value)) return value;
  return many === true
    ? value.map((each: Json) => nameMembersOfOne(members, each))
    : nameMembersOfOne(members, value);
}

function nameMembersOfOne(members: readonly string[], value: Json): Json {
  if (!Array.isArray(value) || value.length !== members.length) return value;
  return Object.fromEntries(members.map((member, index) => [member, value[index] as Json]));
}

/** A record as parsed from JSON. */
export type SourceRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is SourceRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as it is. */
export function castJson(value: unknown): Json {
  return value as Json;
}

/**
 * The spec writes an unset text as an empty string or as null: both are "not there". A missing member stays
 * undefined, which no schema accepts: half a record must not look like a revoked approval.
 */
export function emptyToNull(value: unknown): Json {
  return value === '' ? null : (value as Json);
}

/** Of a reference only the id is watched: a renamed department is not a change of its timesheets. */
export function readReferenceId(value: unknown): Json {
  return isRecord(value) ? emptyToNull(value.id) : emptyToNull(value);
}

/** The kind of a value of JSON, as it may be told: never the value. */
export function kindOf(value: unknown): string {
  if (value === undefined || isMissing(value)) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A member that a record lacks is read as an empty object. */
function isMissing(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}
