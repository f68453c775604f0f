import * as z from 'zod';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import { payPeriodSchema, timesheetSchema } from '#local/source/schemas.ts';
import type { EventContract } from '#shared/core/definitions/event-definition.ts';
import { dataSchema, EVENT_CONTRACTS } from '#shared/core/definitions/event-schemas.ts';
import {
  EVENT_CATALOGUE,
  type RecordEventType,
  SHORT_EVENT_TYPES,
  type ShortEventType,
} from '#shared/core/event-types.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import { type FeedDefinition, feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { fillPage } from './fill-page.ts';

/** The page on all events, in Markdown. */
export function renderEventsPage(): string {
  return fillPage('events', {
    catalogue: catalogue(),
    'timesheet fields': renderSourceTable('timesheets'),
    'pay period fields': renderSourceTable('pay-periods'),
    'timesheet members': renderMemberTable('timesheet.changed'),
    'pay period members': renderMemberTable('pay_period.closed'),
    'readiness members': renderMembersBeyond('pay_period.readiness', 'pay_period.changed'),
    'outstanding members': renderMembersBeyond('pay_period.outstanding', 'pay_period.changed'),
    examples: SHORT_EVENT_TYPES.map(example).join('\n\n'),
  });
}

function catalogue(): string {
  const rows = SHORT_EVENT_TYPES.map(
    (type) =>
      `| \`${type}\` | \`${EVENT_CATALOGUE[type]}\` | ${EVENT_CONTRACTS[type].meaning} | ${describeCause(type)} |`,
  );
  return [
    'Types are written here without their prefix `workforce.`.',
    '',
    '| Type | Topic | Meaning | Caused by |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function describeCause(type: ShortEventType): string {
  const { cause }: EventContract = EVENT_CONTRACTS[type];
  return (
    cause ??
    listCauses(type as RecordEventType)
      .map((path) => `\`${path}\``)
      .join(' ')
  );
}

function renderMemberTable(type: ShortEventType, without: readonly string[] = []): string {
  const { properties = {} } = z.toJSONSchema(dataSchema(type));
  const members = Object.entries(properties).filter(([name]) => !without.includes(name));
  const rows = members.map(([name, schema]) => {
    const { description = '' } = typeof schema === 'object' ? schema : {};
    return `| \`${name}\` | ${description} |`;
  });
  return ['| Member | Meaning |', '|---|---|', ...rows].join('\n');
}

/** Members that the other type does not have. */
function renderMembersBeyond(type: ShortEventType, other: ShortEventType): string {
  return renderMemberTable(type, Object.keys(dataSchema(other).shape));
}

function example(type: ShortEventType): string {
  const event = JSON.stringify(JSON.parse(buildSampleEvent(type)), null, 2);
  return `### ${type}\n\n${EVENT_CONTRACTS[type].meaning}\n\n\`\`\`json\n${event}\n\`\`\``;
}

/** The table of a kind of record: which of its fields cause which event, and which never do. */
function renderSourceTable(feed: FeedName): string {
  const rows = listSourceFields(feed).map(({ path, watchedAs, set, replaced, unset }) => {
    const name = watchedAs === null ? '' : `\`${watchedAs}\``;
    return `| \`${path}\` | ${name} | ${[set, replaced, unset].map(renderCell).join(' | ')} |`;
  });
  return [
    '| Source field | In `current` | Set | Replaced | Cleared |',
    '|---|---|---|---|---|',
    ...rows,
    '| any other | | never | never | never |',
  ].join('\n');
}

function renderCell(effect: Effect): string {
  switch (effect) {
    case 'impossible':
      return '–';
    case 'by member':
      return 'see its members';
    case 'never':
      return 'never';
    default:
      return `\`${effect}\``;
  }
}

/** What a change of a value is told as. `by member`: as the members of the value are. `impossible`: see the schema. */
type Effect = RecordEventType | 'never' | 'by member' | 'impossible';

/** A field of the source's records, and what its changes are told as. */
export interface SourceField {
  /** From the record; `[]` stands for each entry of a list: `details[].hours`. */
  readonly path: string;
  /** Its name in `current`; null when it is not watched. */
  readonly watchedAs: string | null;
  /** A value comes where there was none. */
  readonly set: Effect;
  readonly replaced: Effect;
  readonly unset: Effect;
}

/** What the source gives of each kind of record, all of it. */
const SOURCE_SCHEMAS: Readonly<Record<FeedName, z.ZodObject>> = {
  timesheets: timesheetSchema,
  'pay-periods': payPeriodSchema,
};

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

/** Names of the fields of a record whose changes are told as a type. */
function listCauses(type: RecordEventType): string[] {
  const causing = FEED_NAMES.flatMap(listSourceFields).filter(({ set, replaced, unset }) =>
    [set, replaced, unset].includes(type),
  );
  return [...new Set(causing.flatMap(({ path }) => [...listAncestors(path), path].slice(0, 1)))];
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

/** Which watched field reads a path: found by reading a record in which every value is its own path. */
function findWatchedPaths(definition: FeedDefinition, places: readonly Place[]): ReadonlyMap<string, string> {
  const record = buildRecordOfPaths(places, '');
  const watched = new Map<string, string>();
  for (const { name, read } of definition.fields) {
    const text = JSON.stringify(read(record));
    for (const { path } of places.filter(
      ({ kind, path }) => kind === 'value' && text.includes(`"${path}"`),
    )) {
      for (const each of [path, ...listAncestors(path)]) watched.set(each, name);
    }
  }
  return watched;
}

function buildRecordOfPaths(places: readonly Place[], prefix: string): SourceRecord {
  const members = places
    .filter(({ path }) => path.startsWith(prefix) && !/[.[]/.test(path.slice(prefix.length)))
    .map(({ path, kind }) => {
      const name = path.slice(prefix.length);
      if (kind === 'value') return [name, path];
      if (kind === 'object') return [name, buildRecordOfPaths(places, `${path}.`)];
      return [name, [buildRecordOfPaths(places, `${path}[].`)]];
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
  const { facts, created, changed, removed } = definition;
  if (path === 'id') return { path, watchedAs, set: created, replaced: 'impossible', unset: removed };
  const fact = facts.find(({ field }) => field === watchedAs);
  const isFact = fact !== undefined && listAncestors(path).length === 0;
  const other = watchedAs === null ? 'never' : (fact?.corrected ?? fact?.forward ?? changed);
  return {
    path,
    watchedAs,
    set: optional ? (isFact ? fact.forward : other) : 'impossible',
    replaced: kind === 'object' ? 'by member' : other,
    unset: optional ? (isFact ? fact.reversal : other) : 'impossible',
  };
}
