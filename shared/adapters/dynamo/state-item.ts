import * as z from 'zod';
import { SOURCE_ERROR_CODES } from '../../core/errors.ts';
import type { EventTopic } from '../../core/event-types.ts';
import { FEED_NAMES, feedNameSchema } from '../../core/feeds.ts';
import { LOOK_REASONS } from '../../core/outcome/look-reasons.ts';
import { WHOLE_LIST } from '../../core/records/feed-definition.ts';
import { nameSlice } from '../../core/snapshot/head.ts';
import { type ConnectionState, EMPTY_STATE, type TopicLog } from '../../core/snapshot/state.ts';
import { TROUBLE_KINDS } from '../../core/trouble-kinds.ts';
import type { Commit, StateWrite } from '../../flow/poll/ports.ts';
import { type Item, readAttributes, readItem, type Values } from './attributes.ts';
import { jsonMember, numberMember, readMembers, type StoredMembers, writeMembers } from './members.ts';

const slice = z.string();
const instant = z.number();

const failingSchema = z.object({
  since: instant,
  attempts: z.int(),
  nextAt: instant,
  code: z.enum(LOOK_REASONS),
});
const unreachableSchema = z.object({ polls: z.int(), since: instant, code: z.enum(SOURCE_ERROR_CODES) });
const smallPagesSchema = z.object({ size: z.int().nullable(), since: instant });
const troubleSchema = z.object({
  kind: z.enum(TROUBLE_KINDS),
  feed: feedNameSchema,
  subject: z.string(),
  about: z.array(z.string()),
  since: instant,
});
const watermarkSchema = z.object({
  id: z.string().nullable(),
  at: instant,
  count: z.int(),
  digest: z.string(),
});

/** Attributes that every commit writes. */
export const LEASE = { token: 'k', until: 'e', clock: 'c' } as const;

/**
 * The other members, each in an attribute of its own: a commit writes those that it changes. The item stays below 1 KB,
 * which each commit pays for.
 */
const MEMBERS: StoredMembers<Required<StateWrite>> = {
  tableId: jsonMember('i', z.string(), EMPTY_STATE.tableId),
  epoch: numberMember('n', 0),
  sequences: jsonMember('s', z.partialRecord(feedNameSchema, z.int()), {}),
  restoredAt: numberMember('o', null),
  lookedAt: { attribute: 'l', encode: packInstants, decode: unpackInstants },
  failing: jsonMember('x', z.record(slice, failingSchema), {}),
  baselined: jsonMember('b', z.partialRecord(feedNameSchema, instant), {}),
  unreachable: jsonMember('u', unreachableSchema.nullable(), null),
  troubles: jsonMember('t', z.array(troubleSchema), []),
  watermarks: jsonMember('w', z.partialRecord(feedNameSchema, watermarkSchema), {}),
  remindedUntil: numberMember('r', null),
  pace: numberMember('p', null),
  smallPages: jsonMember('g', smallPagesSchema.nullable(), null),
};

export function toStateValues(state: StateWrite): Values {
  return writeMembers(MEMBERS, state);
}

/** Attributes of the last keys of a topic. */
export const CURSORS: Readonly<Record<EventTopic, Readonly<Record<keyof TopicLog, string>>>> = {
  timesheets: { logged: 'lt', published: 'pt' },
  'pay-periods': { logged: 'lp', published: 'pp' },
  directory: { logged: 'ld', published: 'pd' },
  operations: { logged: 'lo', published: 'po' },
};
const TOPICS = Object.keys(CURSORS) as EventTopic[];

/** How far topics are published. */
export function toCursorValues(published: Commit['published']): Values {
  const moved = TOPICS.filter((topic) => (published[topic] ?? '') !== '');
  return Object.fromEntries(moved.map((topic) => [CURSORS[topic].published, published[topic]]));
}

export function toTopicValues(topics: ConnectionState['topics']): Values {
  const values: Record<string, string | undefined> = {};
  for (const topic of TOPICS) {
    values[CURSORS[topic].logged] = topics[topic]?.logged || undefined;
    values[CURSORS[topic].published] = topics[topic]?.published || undefined;
  }
  return values;
}

const leaseSchema = z.object({ [LEASE.token]: z.int(), [LEASE.clock]: z.number().default(0) });

/** Throws `NotifierError` `store_format_unknown` or `store_item_unreadable`. */
export function readStateItem(item: Item): ConnectionState {
  const attributes = readAttributes(item);
  const lease = readItem(leaseSchema, item);
  return {
    token: lease[LEASE.token],
    clock: lease[LEASE.clock],
    topics: readTopics(attributes),
    ...readMembers(MEMBERS, item),
  };
}

function readTopics(attributes: Readonly<Record<string, unknown>>): ConnectionState['topics'] {
  const topics: Partial<Record<EventTopic, TopicLog>> = {};
  for (const topic of TOPICS) {
    const logged = String(attributes[CURSORS[topic].logged] ?? '');
    const published = String(attributes[CURSORS[topic].published] ?? '');
    if (logged || published) topics[topic] = { logged, published };
  }
  return topics;
}

/** Slices that are not dates, in stored order: appended only, as the names of feeds are. */
const LISTS = FEED_NAMES.filter((feed) => feed !== 'timesheets').map((feed) =>
  nameSlice({ feed, slice: WHOLE_LIST }),
);
const DAY_MS = 86_400_000;
const INSTANT_BYTES = 6;
/** Of milliseconds after the earliest instant, and one: 34 years. */
const OFFSET_BYTES = 5;
const HEADER_BYTES = 1 + INSTANT_BYTES + 4;

/**
 * Instants by slice in 5 bytes each: the number of lists, the earliest instant, the day of the first date, then offsets
 * of the lists, and of the dates without a gap. 0 where there is none.
 */
function packInstants(lookedAt: ConnectionState['lookedAt']): Uint8Array | undefined {
  const instants = Object.values(lookedAt);
  if (instants.length === 0) return undefined;
  const earliest = Math.min(...instants);
  const days = Object.keys(lookedAt)
    .filter((name) => !LISTS.includes(name))
    .map(dayOf);
  const [first, last] = days.length === 0 ? [0, -1] : [Math.min(...days), Math.max(...days)];
  const names = [...LISTS, ...Array.from({ length: last - first + 1 }, (_, at) => nameOf(first + at))];
  const bytes = Buffer.alloc(HEADER_BYTES + names.length * OFFSET_BYTES);
  bytes.writeUInt8(LISTS.length);
  bytes.writeUIntBE(earliest, 1, INSTANT_BYTES);
  bytes.writeInt32BE(first, 1 + INSTANT_BYTES);
  for (const [index, name] of names.entries()) {
    const at = lookedAt[name];
    const offset = at === undefined ? 0 : at - earliest + 1;
    bytes.writeUIntBE(offset, HEADER_BYTES + index * OFFSET_BYTES, OFFSET_BYTES);
  }
  return bytes;
}

function unpackInstants(stored: unknown): ConnectionState['lookedAt'] {
  if (stored === undefined) return {};
  const bytes = Buffer.from(z.instanceof(Uint8Array).parse(stored));
  const lists = bytes.readUInt8();
  const earliest = bytes.readUIntBE(1, INSTANT_BYTES);
  const first = bytes.readInt32BE(1 + INSTANT_BYTES);
  const lookedAt: Record<string, number> = {};
  for (let index = 0; HEADER_BYTES + index * OFFSET_BYTES < bytes.length; index += 1) {
    const offset = bytes.readUIntBE(HEADER_BYTES + index * OFFSET_BYTES, OFFSET_BYTES);
    const name = index < lists ? LISTS[index] : nameOf(first + index - lists);
    if (offset > 0 && name !== undefined) lookedAt[name] = earliest + offset - 1;
  }
  return lookedAt;
}

function dayOf(name: string): number {
  return Date.parse(name.slice(name.indexOf('#') + 1)) / DAY_MS;
}

function nameOf(day: number): string {
  return nameSlice({ feed: 'timesheets', slice: new Date(day * DAY_MS).toISOString().slice(0, 10) });
}
