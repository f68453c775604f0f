import * as z from 'zod';
import { departmentSchema, employeeSchema, payPeriodSchema, timesheetSchema } from '#local/source/schemas.ts';
import type { RecordEventType } from '#shared/core/event-types.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { type FeedDefinition, feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { openDoor } from '#shared/core/records/values.ts';

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

const DOOR = openDoor('UTC', 0);

/** How the source writes that there is no value. */
const NOTHING = ['', null, undefined];

/** Every field of a kind of record, members of members included, in the order of the source's schema. */
export function listSourceFields(feed: FeedName): SourceField[] {
  const definition = feedDefinition(feed);
  const places = listPlaces(SOURCE_SCHEMAS[feed], '');
  const watched = findWatchedPaths(definition, places);
  return places.map((place) =>
    describeField(place, { definition, watchedAs: watched.get(place.path) ?? null }),
  );
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

/** Somewhere in a record. */
interface Place {
  readonly path: string;
  readonly kind: 'value' | 'object' | 'list';
  /** There may be nothing there. */
  readonly optional: boolean;
}

function listPlaces(object: z.ZodObject, prefix: string): Place[] {
  return Object.entries(object.shape).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const inner = unwrapNullable(schema as z.ZodType);
    const optional = NOTHING.some((nothing) => (schema as z.ZodType).safeParse(nothing).success);
    const element = inner instanceof z.ZodArray ? (inner.element as z.ZodType) : null;
    if (element instanceof z.ZodObject)
      return [{ path, kind: 'list' as const, optional }, ...listPlaces(element, `${path}[].`)];
    if (inner instanceof z.ZodObject)
      return [{ path, kind: 'object' as const, optional }, ...listPlaces(inner, `${path}.`)];
    return [{ path, kind: 'value' as const, optional }];
  });
}

function unwrapNullable(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodUnion)) return schema;
  const options = schema.options as readonly z.ZodType[];
  return options.find((option) => option instanceof z.ZodObject) ?? schema;
}

/** Which watched field whose change is told reads a path: the one that reads another value when that at the path is another. */
function findWatchedPaths(definition: FeedDefinition, places: readonly Place[]): ReadonlyMap<string, string> {
  const values = new Map(places.map(({ path }, place) => [path, `1_${place}`]));
  const record = buildRecord(places, values, '');
  const watched = new Map<string, string>();
  const told = definition.fields.filter(({ silent }) => silent !== true);
  for (const { path } of places.filter(({ kind }) => kind === 'value')) {
    const other = buildRecord(places, new Map([...values, [path, '2_1']]), '');
    for (const { name, read } of told) {
      const [before, after] = [record, other].map((each) => JSON.stringify(read(each, DOOR)));
      if (before === after) continue;
      for (const each of [path, ...listAncestors(path)]) watched.set(each, name);
    }
  }
  return watched;
}

function buildRecord(
  places: readonly Place[],
  values: ReadonlyMap<string, string>,
  prefix: string,
): SourceRecord {
  const members = places
    .filter(({ path }) => path.startsWith(prefix) && !/[.[]/.test(path.slice(prefix.length)))
    .map(({ path, kind }) => {
      const name = path.slice(prefix.length);
      if (kind === 'value') return [name, values.get(path)];
      if (kind === 'object') return [name, buildRecord(places, values, `${path}.`)];
      return [name, [buildRecord(places, values, `${path}[].`)]];
    });
  return Object.fromEntries(members);
}

/** `details` of `details[].hours`. */
function listAncestors(path: string): string[] {
  const [parent] = path.split(/(?:\[\])?\./);
  return parent === undefined || parent === path ? [] : [parent];
}

function describeField(
  { path, kind, optional }: Place,
  { definition, watchedAs }: { readonly definition: FeedDefinition; readonly watchedAs: string | null },
): SourceField {
  const { facts, fields, created, changed, changedBy = {}, removed } = definition;
  const hidden = fields.some(({ name, hidden }) => name === watchedAs && hidden === true);
  const about = { path, watchedAs, hidden };
  if (path === 'id') return { ...about, set: created, replaced: 'impossible', unset: removed };
  const fact = facts.find(({ field }) => field === watchedAs);
  const isFact = fact !== undefined && listAncestors(path).length === 0;
  const other =
    watchedAs === null ? 'never' : (fact?.corrected ?? fact?.forward ?? changedBy[watchedAs] ?? changed);
  return {
    ...about,
    set: optional ? (isFact ? fact.forward : other) : 'impossible',
    replaced: kind === 'object' ? 'by member' : other,
    unset: optional ? (isFact ? (fact.reversal ?? 'never') : other) : 'impossible',
  };
}
