import { EXAMPLE_EVENTS } from '#kit/testing.ts';
import { type EventType, readEvent, type WorkforceEvent } from '#kit/workforce-event.ts';
import { hashToEventId, toPartitionKey, toTraceParent } from '#shared/core/events/envelope.ts';
import { isRecord } from '#shared/core/records/fields.ts';

type Overridden<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: Overridden<Value[Name]> }
    : Value;

/** Members of an event to replace, at any depth. A list is replaced as a whole. */
type EventOverrides<Type extends EventType> = Overridden<
  Omit<WorkforceEvent<Type>, 'type' | 'specversion' | 'datacontenttype' | 'dataschema'>
>;

/** Members that give an event its place: two events that differ in one of them differ in `id`. */
const PLACE = ['source', 'subject', 'connection', 'epoch', 'sequence'] as const;

type Members = Readonly<Record<string, unknown>>;

/**
 * The example of a type with other members. What follows from them follows: with a `subject` the id of the record in
 * `data`, with `connection` the `source`, and with any member that gives the event its place the `id`. Throws for what is
 * no such event.
 */
export function exampleEvent<Type extends EventType>(
  type: Type,
  overrides?: EventOverrides<Type>,
): WorkforceEvent<Type>;
export function exampleEvent(type: EventType, overrides: Members = {}): WorkforceEvent {
  return buildExample(type, overrides);
}

/** The same for members that nobody typed. */
export function buildExample(type: EventType, overrides: Members): WorkforceEvent {
  const read = readEvent(place(EXAMPLE_EVENTS[type], overrides));
  if (read.outcome === 'event') return read.event;
  throw new Error(`no ${type} is like this: ${JSON.stringify(read)}`);
}

/** An event of each type, in the order of `docs/events.md`. */
export function exampleEvents(): WorkforceEvent[] {
  return Object.values(EXAMPLE_EVENTS);
}

/** The example with its overrides, and what follows from them. */
function place(example: WorkforceEvent, overrides: Members): Members {
  const { connection = example.connection, subject } = overrides;
  const source = example.source.replace(/^\/connections\/[^/]+/, `/connections/${connection}`);
  // The first member of `data` is the id of the record.
  const [record = ''] = Object.keys(example.data);
  const followed = { source, ...(subject && record.endsWith('Id') ? { data: { [record]: subject } } : {}) };
  const changed = replace(replace(example, followed), overrides) as Record<string, string>;
  const isElsewhere = PLACE.some((name) => changed[name] !== example[name]);
  const id = isElsewhere ? hashToEventId(PLACE.map((name) => changed[name])) : example.id;
  const named = { id, ...overrides }.id as string;
  const partitionkey = toPartitionKey(changed.source ?? '', changed.subject ?? null);
  return { ...changed, id: named, partitionkey, traceparent: toTraceParent(named) };
}

function replace(value: unknown, by: unknown): unknown {
  if (!(isRecord(value) && isRecord(by))) return by;
  const replaced = Object.entries(by).map(([name, each]) => [name, replace(value[name], each)]);
  return { ...value, ...Object.fromEntries(replaced) };
}
