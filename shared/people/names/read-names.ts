import * as z from 'zod';
import { isNothing } from '../../core/records/values.ts';
import type { NamedKind } from './names.ts';

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

/** Of a department; empty where nobody is assigned. */
const managed = z
  .object({ id, manager: z.string().nullish() })
  .transform(({ id, manager }) => [id, manager == null || isNothing(manager) ? '' : manager] as const);

/** `docs/source-api.md`, Employees, Departments, Activities, Organisations. */
const RECORDS = {
  employees: person,
  departments: named,
  activities: named,
  organisations: named,
  managers: managed,
} satisfies Record<NamedKind, z.ZodType<readonly [string, string]>>;

export interface NameReading {
  /** Display names by id. */
  readonly names: ReadonlyMap<string, string>;
  /** Number of records without a readable id or name. */
  readonly skipped: number;
}

/** Display names of the records of a list. A record that cannot be read is only counted; a department may have no manager. */
export function readDisplayNames(kind: NamedKind, records: readonly unknown[]): NameReading {
  const names = new Map<string, string>();
  let skipped = 0;
  for (const record of records) {
    const read = RECORDS[kind].safeParse(record);
    const name = read.success ? toDisplayName(read.data[1]) : '';
    if (read.success && name !== '') names.set(read.data[0], name);
    else if (!read.success || kind !== 'managers') skipped += 1;
  }
  return { names, skipped };
}

/** A name on one line of at most 80 characters, without control characters. Not escaped for any medium. */
export function toDisplayName(text: string): string {
  const line = text.slice(0, MAX_RAW_CHARACTERS).toWellFormed().replace(INVISIBLE, ' ').trim();
  return [...line].slice(0, MAX_NAME_CHARACTERS).join('').trim();
}
