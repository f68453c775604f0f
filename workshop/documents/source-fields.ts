import type * as z from 'zod';
import { departmentSchema, employeeSchema, payPeriodSchema, timesheetSchema } from '#local/source/schemas.ts';
import type { RecordEventType } from '#shared/core/event-types.ts';
import { findTransitions } from '#shared/core/events/transitions.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { feedDefinition, parseRow, readRecordText, toState } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord, State } from '#shared/core/records/fields.ts';
import { openDoor } from '#shared/core/records/values.ts';
import { FULL_RECORDS } from '#test/support/full-records.ts';

/** What a change of a value is told as. `by member`: as the members of the value are. `impossible`: see the schema. */
type Effect = RecordEventType | 'never' | 'by member' | 'impossible';

/** A field of the source's records, and what its changes are told as. */
export interface SourceField {
  /** From the record; `[]` stands for each entry of a list: `details[].hours`. */
  readonly path: string;
  /** Its name in `current`; null when it is not watched. */
  readonly watchedAs: string | null;
  /** No event shows its value. */
  readonly hidden: boolean;
  /** A value comes where there was none. */
  readonly set: Effect;
  readonly replaced: Effect;
  readonly unset: Effect;
}

/** What the source gives of each kind of record, all of it. */
const SOURCE_SCHEMAS: Readonly<Record<FeedName, z.ZodObject>> = {
  timesheets: timesheetSchema,
  'pay-periods': payPeriodSchema,
  employees: employeeSchema,
  departments: departmentSchema,
};

const DOOR = openDoor('UTC', Date.parse('2026-12-01'));

/** Every field of a kind of record, members of members included, with what the core tells when it alone changes. */
export function listSourceFields(feed: FeedName): SourceField[] {
  return listPaths(FULL_RECORDS[feed], '').map((path) => describeField(feed, path));
}

function listPaths(record: SourceRecord, prefix: string): string[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const entry: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof entry !== 'object' || entry === null) return [path];
    return [path, ...listPaths(entry as SourceRecord, Array.isArray(value) ? `${path}[].` : `${path}.`)];
  });
}

function describeField(feed: FeedName, path: string): SourceField {
  const full = FULL_RECORDS[feed];
  const { fields, created, removed } = feedDefinition(feed);
  const withNothing = [null, ''].map((nothing) => change(full, path, () => nothing));
  const empty = withNothing.find((record) => SOURCE_SCHEMAS[feed].safeParse(record).success);
  const other = change(full, path, another);
  const tell = (before: SourceRecord, after: SourceRecord): Effect => {
    const [from = null, to = null] = [before, after].map((record) => stateOf(feed, record));
    return findTransitions(feedDefinition(feed), from, to)[0]?.type ?? 'never';
  };
  const [known, compared] = [full, other].map((record) => stateOf(feed, record));
  const watched = fields.find(
    ({ name, silent }) =>
      silent !== true && JSON.stringify(known?.[name]) !== JSON.stringify(compared?.[name]),
  );
  const about = { path, watchedAs: watched?.name ?? null, hidden: watched?.hidden === true };
  if (path === 'id') return { ...about, set: created, replaced: 'impossible', unset: removed };
  const hasMembers = listPaths(full, '').some((each) => each.startsWith(`${path}.`));
  return {
    ...about,
    set: empty === undefined ? 'impossible' : tell(empty, full),
    replaced: hasMembers ? 'by member' : tell(full, other),
    unset: empty === undefined ? 'impossible' : tell(full, empty),
  };
}

function stateOf(feed: FeedName, record: SourceRecord): State {
  const definition = feedDefinition(feed);
  return toState(definition, parseRow(readRecordText(definition, record, DOOR)));
}

/** The record with the value at a path changed. */
function change(record: SourceRecord, path: string, by: (value: unknown) => unknown): SourceRecord {
  const [name = '', ...rest] = path.split('.');
  const [key = '', inList] = name.split('[');
  const inner = (value: unknown) =>
    rest.length === 0 ? by(value) : change(value as SourceRecord, rest.join('.'), by);
  const value = record[key];
  return { ...record, [key]: inList === undefined ? inner(value) : (value as unknown[]).map(inner) };
}

/** Null in place of an object. */
function another(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  // A date-time stays one.
  if (typeof value === 'string')
    return /^\d{4}-/.test(value) ? value.replace(/^\d+/, (year) => String(Number(year) - 1)) : `${value}1`;
  return Array.isArray(value) ? [] : null;
}

/** Names of fields, each with its name in `current` where that is another. */
export function nameFields(fields: readonly SourceField[]): string {
  return fields
    .map(({ path, watchedAs, hidden }) =>
      watchedAs === null || hidden || path.startsWith(watchedAs)
        ? `\`${path}\``
        : `\`${path}\` (\`${watchedAs}\`)`,
    )
    .join(', ');
}
