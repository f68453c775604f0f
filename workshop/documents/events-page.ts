import * as z from 'zod';
import { EXAMPLE_EVENTS } from '#kit/testing.ts';
import { departmentSchema, employeeSchema, payPeriodSchema, timesheetSchema } from '#local/source/schemas.ts';
import { dataSchema, EVENT_CONTRACTS } from '#shared/core/definitions/event-schemas.ts';
import {
  EVENT_CATALOGUE,
  type RecordEventType,
  SHORT_EVENT_TYPES,
  type ShortEventType,
  toEventType,
} from '#shared/core/event-types.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { accountSchema } from '#shared/core/periods/account-data.ts';
import { type FeedDefinition, feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { openDoor } from '#shared/core/records/values.ts';
import { fillPage } from './fill-page.ts';

/** Of the others `docs/schemas` has the shape. */
const EXAMPLES: readonly ShortEventType[] = ['timesheet.approved', 'pay_period.closed'];

/** Types whose `data` has members of their own, by what the page calls them. */
const OWN_MEMBERS: Readonly<Record<string, ShortEventType>> = {
  'timesheet.*': 'timesheet.changed',
  'pay_period.due': 'pay_period.due',
  'pay_period.settled': 'pay_period.settled',
  'baseline.completed': 'baseline.completed',
  'feed.complete': 'feed.complete',
  'trouble.began': 'trouble.began',
};

/** The page on all events, in Markdown. */
export function renderEventsPage(): string {
  return fillPage('events', {
    catalogue: catalogue(),
    'timesheet fields': renderSourceTable('timesheets'),
    'pay period fields': renderSourceTable('pay-periods'),
    'employee fields': renderSourceTable('employees'),
    'department fields': renderSourceTable('departments'),
    'common members': renderCommonMembers(),
    'own members': renderOwnMembers(),
    account: renderAccount(),
    examples: EXAMPLES.map(example).join('\n\n'),
  });
}

function catalogue(): string {
  const rows = SHORT_EVENT_TYPES.map(
    (type) => `| \`${type}\` | \`${EVENT_CATALOGUE[type]}\` | ${EVENT_CONTRACTS[type].meaning} |`,
  );
  return ['| Type | Topic | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** Members that the events of all kinds of records have, as those of a timesheet describe them. */
function renderCommonMembers(): string {
  const rows = listMembers('timesheet.changed')
    .filter(({ name }) => COMMON_MEMBERS.has(name))
    .map(({ name, description }) => `| \`${name}\` | ${description} |`);
  return ['| Member | Meaning |', '|---|---|', ...rows].join('\n');
}

/** The account has a table of its own. */
const COMMON_MEMBERS = new Set([...Object.keys(dataSchema('pay_period.changed').shape), 'account']);

/** Their names say all of the others. */
function renderOwnMembers(): string {
  const rows = Object.entries(OWN_MEMBERS).flatMap(([called, type]) =>
    listMembers(type)
      .filter(({ name, description }) => !COMMON_MEMBERS.has(name) && description !== '')
      .map(({ name, description }) => `| \`${called}\` | \`${name}\` | ${description} |`),
  );
  return ['| Type | Member | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** What the account of all timesheets says as well, and what the names say. */
const OF_ITSELF =
  /^(?:(?:ready|notReady|byDepartment|leftOver|changes\.listed)\.(?!missing|reason)|departments$|reserves\.(?!kind))/;

/** Also what is within its members. */
function renderAccount(): string {
  const rows = listMembersWithin(accountSchema)
    .filter(({ name, description }) => description !== '' && !OF_ITSELF.test(name))
    .map(({ name, description }) => `| \`${name}\` | ${description} |`);
  return ['| In `account` | Meaning |', '|---|---|', ...rows].join('\n');
}

interface Member {
  readonly name: string;
  readonly description: string;
}

function listMembers(type: ShortEventType): Member[] {
  return Object.entries(dataSchema(type).shape).map(([name, schema]) => ({
    name,
    description: z.toJSONSchema(schema).description ?? '',
  }));
}

/** `changes.open`, and of a list `reserves.kind`. */
function listMembersWithin(object: z.ZodObject): Member[] {
  return Object.entries(object.shape).flatMap(([name, schema]) => {
    const description = z.toJSONSchema(schema as z.ZodType).description ?? '';
    const inner = unwrap(schema as z.ZodType);
    const within = inner instanceof z.ZodObject ? listMembersWithin(inner) : [];
    return [{ name, description }, ...within.map((each) => ({ ...each, name: `${name}.${each.name}` }))];
  });
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable) return unwrap(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodArray ? unwrap(schema.element as z.ZodType) : schema;
}

function example(type: ShortEventType): string {
  const event = JSON.stringify(EXAMPLE_EVENTS[toEventType(type)], shorten, 2);
  return `### ${type}\n\n\`\`\`json\n${event}\n\`\`\``;
}

function shorten(name: string, value: unknown): unknown {
  return ['byDepartment', 'leftOver'].includes(name) && Array.isArray(value) ? value.slice(0, 1) : value;
}

/** The table of a kind of record: which of its fields cause which event, and which never do. */
function renderSourceTable(feed: FeedName): string {
  const fields = feedDefinition(feed).fields.filter((field) => field.hidden === true);
  const hidden = new Set(fields.map(({ name }) => name as string));
  const byEffects = Map.groupBy(listSourceFields(feed), ({ set, replaced, unset }) => {
    const cells = [set, replaced, unset].map(renderCell);
    return cells.includes('never') ? NEVER : cells.join(' | ');
  });
  const rows = [...byEffects].map(([effects, alike]) => {
    const names = alike.map(({ path, watchedAs }) =>
      watchedAs === null || hidden.has(watchedAs) || path.startsWith(watchedAs)
        ? `\`${path}\``
        : `\`${path}\` (\`${watchedAs}\`)`,
    );
    return `| ${names.join(', ')}${effects === NEVER ? ', any other' : ''} | ${effects} |`;
  });
  return ['| Source field | Set | Replaced | Cleared |', '|---|---|---|---|', ...rows].join('\n');
}

const NEVER = 'never | never | never';

function renderCell(effect: Effect): string {
  switch (effect) {
    case 'impossible':
    case 'by member':
      return '–';
    case 'never':
      return effect;
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
  const { facts, created, changed, changedBy = {}, removed } = definition;
  if (path === 'id') return { path, watchedAs, set: created, replaced: 'impossible', unset: removed };
  const fact = facts.find(({ field }) => field === watchedAs);
  const isFact = fact !== undefined && listAncestors(path).length === 0;
  const other =
    watchedAs === null ? 'never' : (fact?.corrected ?? fact?.forward ?? changedBy[watchedAs] ?? changed);
  return {
    path,
    watchedAs,
    set: optional ? (isFact ? fact.forward : other) : 'impossible',
    replaced: kind === 'object' ? 'by member' : other,
    unset: optional ? (isFact ? (fact.reversal ?? 'never') : other) : 'impossible',
  };
}
