import * as z from 'zod';
import type { NamedKind } from './names.ts';

/** A longer name is cut: it is to stand in a sentence. */
const MAX_NAME_CHARACTERS = 80;
const MAX_ID_CHARACTERS = 100;
/** What would break a line or turn its direction: control characters, separators of lines, marks of direction. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu;

const id = z.string().min(1).max(MAX_ID_CHARACTERS);
const named = z.object({ id, name: z.string() }).transform(({ id, name }) => [id, name] as const);
const person = z
  .object({ id, firstNames: z.string(), lastName: z.string() })
  .transform(({ id, firstNames, lastName }) => [id, `${firstNames} ${lastName}`] as const);

/** What a record of each kind is called: sections 2.6, 2.10, 2.13 and 2.14 of the specification. */
const RECORDS = {
  employees: person,
  departments: named,
  activities: named,
  organisations: named,
} satisfies Record<NamedKind, z.ZodType<readonly [string, string]>>;

export interface NameReading {
  /** Display names by id. */
  readonly names: ReadonlyMap<string, string>;
  /** Records without an id or a name that can be read. */
  readonly skipped: number;
}

/** Display names of the records of a list. One that cannot be read is counted and left out; the others stand. */
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

/** A name on one line, at most 80 characters, none of them unseen. Not escaped for any medium. */
export function toDisplayName(text: string): string {
  const line = text.toWellFormed().replace(UNSEEN, ' ').trim();
  return [...line].slice(0, MAX_NAME_CHARACTERS).join('').trim();
}
