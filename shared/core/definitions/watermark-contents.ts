import { hash } from 'node:crypto';
import * as z from 'zod';
import { groupBy } from '../group-by.ts';

/** Records that a watermark excepts; with more of them none is published. */
export const MAX_EXCEPTED_RECORDS = 500;

/**
 * Why a watermark does not speak of something. `unreadable`: it cannot be read. `held`: a guard holds what was seen.
 * `unread`: it was not read whole yet. `untold`: time brought the date into the window, and the next look publishes what
 * has happened on it, or the table was restored, and snapshots of it are still to come. `unlisted`: its list leaves out
 * records that are there. `lagging`: it was not read for too long.
 */
const EXCEPTION_REASONS = ['unreadable', 'held', 'unread', 'untold', 'unlisted', 'lagging'] as const;
export type ExceptionReason = (typeof EXCEPTION_REASONS)[number];

/** What an event is called and where it stands, as in its envelope. */
export interface CountedEvent {
  readonly id: string;
  /** In full, such as `workforce.timesheet.approved`. */
  readonly type: string;
  readonly epoch?: string | undefined;
  readonly sequence: number;
}

/** Watermarks name the events one by one up to this many. */
const MAX_LISTED_EVENTS = 1_000;

/** Parts of a type by the first digit of the id, where events are not listed. */
export const PARTS = '0123456789abcdef';

/**
 * A digest that is equal for two parties exactly when they have the same events: the SHA-256, in hex, of a line
 * `{id} {epoch} {sequence}\n` for each, in the order of their ids. An absent epoch is `-`.
 */
export function computeEventsDigest(events: Iterable<Omit<CountedEvent, 'type'>>): string {
  const lines = [...events].map(({ id, epoch = '-', sequence }) => `${id} ${epoch} ${sequence}\n`);
  // An id is hexadecimal and of one length, so lines sort as their ids do.
  return hash('sha256', lines.toSorted().join(''), 'hex');
}

/** Counts and digests of events, each of which is given once. */
export function tallyEvents(events: readonly CountedEvent[]): EventsSince {
  const isListed = events.length <= MAX_LISTED_EVENTS;
  const types = [...groupBy(events, ({ type }) => type)].map(([eventType, alike]) => ({
    ...{ eventType, ...tally(alike) },
    ...(isListed ? list(alike) : split(alike)),
  }));
  return { ...tally(events), types: types.toSorted((a, b) => (a.eventType < b.eventType ? -1 : 1)) };
}

function tally(events: readonly CountedEvent[]): Pick<EventsSince, 'count' | 'digest'> {
  return { count: events.length, digest: computeEventsDigest(events) };
}

function list(events: readonly CountedEvent[]): Pick<TypeTally, 'ids'> {
  return { ids: events.map(({ id }) => id).toSorted() };
}

function split(events: readonly CountedEvent[]): Pick<TypeTally, 'parts'> {
  return { parts: [...PARTS].map((digit) => computePartDigest(events, digit)) };
}

/** The digest of the events whose ids begin with a digit. */
function computePartDigest(events: Iterable<Omit<CountedEvent, 'type'>>, digit: string): string {
  return computeEventsDigest([...events].filter(({ id }) => id.startsWith(digit)));
}

const instant = z.iso.datetime();
const id = z.string();
const slice = z.string();
const through = instant
  .nullable()
  .describe('The earliest start of the last complete look; null when all is excepted.');

const tallySchema = z.strictObject({
  count: z.int().min(0),
  digest: z.string().describe('SHA-256 of the lines `{id} {epoch} {sequence}`, in order of the ids.'),
});

/** A type's events: their ids in order, or a digest for each first digit of an id. */
const typeTallySchema = tallySchema.extend({
  eventType: z.string(),
  ids: z.array(id).optional().describe('While all of them are at most 1,000.'),
  parts: z
    .array(z.string())
    .length(PARTS.length)
    .optional()
    .describe('Otherwise: digests of the events whose ids begin with 0, 1, ... f.'),
});
type TypeTally = z.output<typeof typeTallySchema>;

const eventsSinceSchema = tallySchema.extend({ types: z.array(typeTallySchema) });
export type EventsSince = z.output<typeof eventsSinceSchema>;

const exceptionSchema = z.strictObject({
  reason: z.enum(EXCEPTION_REASONS),
  from: slice.optional().describe('First and last date; absent for a list, and for records.'),
  to: slice.optional(),
  seenAt: instant
    .nullable()
    .optional()
    .describe('Start of the last complete look, the earliest of several dates; null without one.'),
  records: z.array(id).max(MAX_EXCEPTED_RECORDS).optional().describe('Only these records.'),
});
/** Dates, the whole list, or records that a watermark does not speak of. */
export type Exception = Readonly<z.output<typeof exceptionSchema>>;

/** The members of `data` of a watermark. */
export const WATERMARK_DATA = {
  since: z
    .strictObject({ id: id.describe('Id of the watermark before.'), at: instant })
    .nullable()
    .describe('Null when it begins anew: at first, in a restored table, or after more than a day.'),
  through: z.strictObject({
    hotDates: z.strictObject({ from: slice, to: slice, at: through }).optional(),
    window: z.strictObject({ from: slice, to: slice, at: through }).optional(),
    payPeriods: z.strictObject({ at: through }).optional(),
  }),
  except: z.array(exceptionSchema),
  events: eventsSinceSchema
    .nullable()
    .describe('Changes of records that were committed since the watermark before; null without one.'),
};
