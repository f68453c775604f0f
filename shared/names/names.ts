import * as z from 'zod';

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

const DAY_MS = 24 * 60 * 60_000;

/** Names expire after this time without a refresh, which happens when no channel shows them any more. */
const LIFETIME_MS = 14 * DAY_MS;
/**
 * A refresh rewrites unchanged names when less than this is left. So the source may be away for 10 days before messages
 * fall back to ids, and most refreshes write nothing.
 */
const RENEWED_BELOW_MS = 10 * DAY_MS;

/** When names written now expire. Instants are in milliseconds since 1970. */
export function computeNamesExpiry(now: number): number {
  return now + LIFETIME_MS;
}

/** Whether unchanged names must be written again. */
export function mustRenewNames(expiresAt: number, now: number): boolean {
  return expiresAt - now < RENEWED_BELOW_MS;
}

/** Whether names must not be shown any more; DynamoDB may take days to delete them. */
export function areNamesExpired(expiresAt: number, now: number): boolean {
  return now >= expiresAt;
}

/** A longer name is cut, since it stands in a sentence. */
const MAX_NAME_CHARACTERS = 80;
/** Of a name as it came, which may be mostly spaces. */
const MAX_RAW_CHARACTERS = 1_000;
const MAX_ID_CHARACTERS = 100;
/** Control characters, line separators and direction marks, which would break a line or reverse it. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu;

const id = z.string().min(1).max(MAX_ID_CHARACTERS);
const named = z.object({ id, name: z.string() }).transform(({ id, name }) => [id, name] as const);
const person = z
  .object({ id, firstNames: z.string(), lastName: z.string() })
  .transform(({ id, firstNames, lastName }) => [id, `${firstNames} ${lastName}`] as const);

/** `docs/source-api.md`, Employees, Departments, Activities, Organisations. */
const RECORDS = {
  employees: person,
  departments: named,
  activities: named,
  organisations: named,
} satisfies Record<NamedKind, z.ZodType<readonly [string, string]>>;

interface NameReading {
  /** Display names by id. */
  readonly names: ReadonlyMap<string, string>;
  /** Number of records without a readable id or name. */
  readonly skipped: number;
}

/** Display names of the records of a list. A record that cannot be read is only counted. */
export function readDisplayNames(kind: NamedKind, records: readonly unknown[]): NameReading {
  const names = new Map<string, string>();
  let skipped = 0;
  for (const record of records) {
    const read = RECORDS[kind].safeParse(record);
    const name = read.success ? toDisplayName(read.data[1]) : '';
    if (read.success && name !== '') names.set(read.data[0], name);
    else skipped += 1;
  }
  return { names, skipped };
}

/** A name on one line of at most 80 characters, without control characters. Not escaped for any medium. */
export function toDisplayName(text: string): string {
  const line = text.slice(0, MAX_RAW_CHARACTERS).toWellFormed().replace(INVISIBLE, ' ').trim();
  return [...line].slice(0, MAX_NAME_CHARACTERS).join('').trim();
}
