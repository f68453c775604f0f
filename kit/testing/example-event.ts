import { readFileSync } from 'node:fs';
import { NotifierError } from '../../shared/core/errors.ts';
import type { EventType } from '../../shared/core/event-types.ts';
import { hashToEventId, toPartitionKey, toTraceParent } from '../../shared/core/events/envelope.ts';
import { readEvent, type WorkforceEvent } from '../workforce-event.ts';

/** Types of events whose record may be gone: their `current` can be null. */
type GoneType = Extract<EventType, `${string}.${'removed' | 'forgotten' | 'snapshot'}`>;

/** `current` is not null, where the type says that there is a record. */
type Present<Type extends EventType, Data> = Type extends GoneType
  ? Data
  : { [Name in keyof Data]: Name extends 'current' ? NonNullable<Data[Name]> : Data[Name] };

/** An event of one type as tests use it: without a null in `current`, where the type says that there is a record. */
export type ExampleEvent<Type extends EventType = EventType> = {
  [Each in Type]: {
    [Name in keyof WorkforceEvent<Each>]: Name extends 'data'
      ? Present<Each, WorkforceEvent<Each>[Name]>
      : WorkforceEvent<Each>[Name];
  };
}[Type];

type Overridden<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: Overridden<Value[Name]> }
    : Value;

/** Members of an event to replace, at any depth. A list is replaced as a whole. */
export type EventOverrides<Type extends EventType = EventType> = Overridden<
  Omit<ExampleEvent<Type>, 'type' | 'specversion' | 'datacontenttype' | 'dataschema'>
>;

const EXAMPLES = JSON.parse(
  readFileSync(new URL('./example-events.json', import.meta.url), 'utf8'),
) as readonly Members[];
/** Members that give an event its place: two events that differ in one of them differ in `id`. */
const PLACE = ['source', 'subject', 'connection', 'epoch', 'sequence'] as const;

type Members = Readonly<Record<string, unknown>>;

/**
 * An event of a type as the notifier publishes it, always the same one: see `docs/events.md`. What follows from an
 * override follows it: with a `subject` the id of the record in `data`, with `connection` the `source`, and with any
 * member that gives the event its place the `id`. Throws `NotifierError` `overrides_wrong` for what no such event has.
 */
export function exampleEvent<Type extends EventType>(
  type: Type,
  overrides?: EventOverrides<Type>,
): ExampleEvent<Type>;
export function exampleEvent(type: EventType, overrides: Members = {}): WorkforceEvent {
  return buildExample(type, overrides);
}

/** The same for members that nobody typed. */
export function buildExample(type: EventType, overrides: Members): WorkforceEvent {
  const example = EXAMPLES.find((each) => each.type === type);
  if (example === undefined) {
    throw new NotifierError('overrides_wrong', `${type} is no type of an event; see docs/events.md`);
  }
  const read = readEvent(place(example, overrides));
  if (read.outcome === 'event') return read.event;
  const why = read.outcome === 'invalid' ? read.issues.join('; ') : 'it is of another type';
  throw new NotifierError('overrides_wrong', `no ${type} is like this: ${why}; correct the overrides`);
}

/** `exampleEvent` of every type, in the order of `docs/events.md`. */
export function exampleEvents(): WorkforceEvent[] {
  return EXAMPLES.map(({ type }) => buildExample(type as EventType, {}));
}

/** The example with its overrides, and what follows from them. */
function place(example: Members, overrides: Members): Members {
  const { connection = example.connection, subject } = overrides;
  const source = String(example.source).replace(/^\/connections\/[^/]+/, `/connections/${connection}`);
  // The first member of `data` is the id of the record.
  const [record = ''] = Object.keys(example.data as Members);
  const followed = { source, ...(subject && record.endsWith('Id') ? { data: { [record]: subject } } : {}) };
  const changed = replace(replace(example, followed), overrides) as Record<string, string>;
  const isElsewhere = PLACE.some((name) => changed[name] !== example[name]);
  const id = isElsewhere ? hashToEventId(PLACE.map((name) => changed[name])) : String(example.id);
  const named = { id, ...overrides }.id as string;
  const partitionkey = toPartitionKey(changed.source ?? '', changed.subject ?? null);
  return { ...changed, id: named, partitionkey, traceparent: toTraceParent(named) };
}

function replace(value: unknown, by: unknown): unknown {
  if (!(isMembers(value) && isMembers(by))) return by;
  const replaced = Object.entries(by).map(([name, each]) => [name, replace(value[name], each)]);
  return { ...value, ...Object.fromEntries(replaced) };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
