import { hash } from 'node:crypto';
import * as z from 'zod';
import { EVENT_TYPES, type EventType, isOperationType, topicOf, toShortType } from '../event-types.ts';
import { compareIds } from '../events/compare-ids.ts';
import { parseJsonOrNull } from '../parse-json.ts';
import type { FeedState, HeldEvent } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import { type CommitStep, toBatchPointer } from './commit-step.ts';
import { INSERT_FENCE } from './insert-fence.ts';

/** Events of partly published batches that a feed remembers (about 10 compressed bytes each in its state). */
const MAX_HELD_EVENTS = 2_000;
const HASH_LENGTH = 8;

/** A pointer, and the slice whose head holds it; null for the feed's state. */
export interface OutboxEntry {
  readonly slice: string | null;
  readonly pointer: string;
}

/**
 * The outboxes that hold the pointer to a step's events: those of every slice that it changes. Heads are not read at
 * one instant; this way a poll that sees a record as the step committed it also sees that its events may still wait,
 * and publishes no later event of it before them (rule 3).
 */
export function listOutboxEntries({ heads, events }: CommitStep): OutboxEntry[] {
  if (events === null) return [];
  const pointer = toBatchPointer(events);
  const slices = heads.map(({ head }) => head.slice).filter((slice) => slice !== INSERT_FENCE);
  return slices.map((slice) => ({ slice, pointer }));
}

/** The pointers in the outboxes of heads; that of a commit is in each slice that it changed. */
export function collectOutboxEntries(heads: Iterable<SliceHead>): OutboxEntry[] {
  return [...heads].flatMap(({ slice, outbox }) => outbox.map((pointer) => ({ slice, pointer })));
}

/** Entries of one batch, with the pointer that they share. */
export interface PendingBatch {
  readonly pointer: string;
  readonly entries: readonly OutboxEntry[];
}

/** Batches in the order of their commits. */
export function sortIntoBatches(entries: readonly OutboxEntry[]): PendingBatch[] {
  return [...Map.groupBy(entries, ({ pointer }) => pointer)]
    .map(([pointer, ofBatch]) => ({ pointer, entries: ofBatch }))
    .sort((a, b) => compareIds(a.pointer, b.pointer));
}

/**
 * Events of a batch that can never be published. `expired`: the event log no longer holds them. `refused`: SNS refused
 * them for good.
 */
export interface PublishFailure {
  readonly reason: 'expired' | 'refused';
  /** Instant of the commit, in milliseconds since 1970. */
  readonly committedAt: number;
  /** Number of events; 0 when unknown. */
  readonly events: number;
  readonly eventIds: readonly string[];
  /** Pointers to remove from their outboxes once that is told; none while other events of the batch wait. */
  readonly entries: readonly OutboxEntry[];
}

/** Neither waits for the other. Operational events, to which the feed's state points, are few and go out first. */
type Line = 'operations' | 'records';

export function lineOf({ entries }: Pick<PendingBatch, 'entries'>): Line {
  return entries[0]?.slice === null ? 'operations' : 'records';
}

/** Losses that a feed remembers until events are published again; of more, the latest. */
const MAX_LOST = 20;
/** Events that one loss names. */
const MAX_LOST_NAMED = 50;

/** What is lost, one loss per reason and poll, until a poll publishes events and loses none. */
export function updateLost(
  { lost }: Pick<FeedState, 'lost'>,
  failures: readonly PublishFailure[],
  published: number,
): Pick<FeedState, 'lost'> {
  if (failures.length === 0) return { lost: published > 0 ? [] : lost };
  // A poll that could not put an event aside meets it again.
  const named = new Set(lost.flatMap(({ events }) => events));
  const fresh = failures.flatMap((failure) => dropNamed(failure, named) ?? []);
  const found = [...Map.groupBy(fresh, ({ reason }) => reason)].map(([cause, alike]) => ({
    since: Math.min(...alike.map(({ committedAt }) => committedAt)),
    cause,
    count: alike.reduce((sum, { events }) => sum + events, 0),
    events: alike.flatMap(({ eventIds }) => eventIds).slice(0, MAX_LOST_NAMED),
  }));
  const known = new Set(lost.map(toLostSubject));
  const news = found.filter((each) => !known.has(toLostSubject(each)));
  return { lost: [...lost, ...news].slice(-MAX_LOST) };
}

/** Without the events that are named; null when nothing is left. */
function dropNamed(failure: PublishFailure, named: ReadonlySet<string>): PublishFailure | null {
  const eventIds = failure.eventIds.filter((id) => !named.has(id));
  const dropped = failure.eventIds.length - eventIds.length;
  if (dropped > 0 && eventIds.length === 0) return null;
  return { ...failure, eventIds, events: failure.events - dropped };
}

/** What tells a loss from others: the reason, and the first event where that is known. */
export function toLostSubject({ cause, events: [first] }: FeedState['lost'][number]): string {
  return first === undefined ? cause : `${cause} ${first}`;
}

/** Number of events that failed, with an unreadable batch counted as one. */
export function countFailedEvents(failures: readonly PublishFailure[]): number {
  return failures.reduce((sum, { events }) => sum + Math.max(1, events), 0);
}

/** A topic that fails this many records in one call, and accepts none, is not tried again in this poll. */
const RECORDS_TO_CLOSE_A_TOPIC = 3;

/**
 * The topics that accepted nothing of several records. `sent`: the events of one call, those of a record in order.
 * `held`: positions of those that did not go out.
 */
export function findClosedTopics(sent: readonly EventAddress[], held: ReadonlySet<number>): string[] {
  const tried = Map.groupBy(listTried(sent, held), ([, { topic }]) => topic);
  return [...tried].flatMap(([topic, events]) => {
    const records = new Set(events.map(([, { recordHash }]) => recordHash));
    const isClosed = records.size >= RECORDS_TO_CLOSE_A_TOPIC && events.every(([index]) => held.has(index));
    return isClosed ? [topic] : [];
  });
}

/** An event that waits behind a held one of its record says nothing about its own topic, which may be another. */
function listTried(sent: readonly EventAddress[], held: ReadonlySet<number>): [number, EventAddress][] {
  const behind = new Set<string>();
  return [...sent.entries()].filter(([index, { recordHash }]) => {
    if (behind.has(recordHash)) return false;
    if (held.has(index)) behind.add(recordHash);
    return true;
  });
}

/** What publishing needs to know of an event; members are null when the text is not an event of the notifier. */
export interface EventAddress {
  readonly id: string | null;
  /** Id of the record or slice that it is about. */
  readonly subject: string | null;
  readonly topic: string;
  /** Short hash of the record, within which order is kept; two records with the same hash only wait for each other. */
  readonly recordHash: string;
}

const envelopeSchema = z.object({
  id: z.string(),
  source: z.string(),
  subject: z.string().optional(),
  type: z.custom<EventType>((type) => EVENT_TYPES.includes(type as EventType)),
});

export function readEventAddress(text: string): EventAddress {
  const { data: envelope } = envelopeSchema.safeParse(parseJsonOrNull(text));
  if (envelope === undefined) return { id: null, subject: null, topic: '', recordHash: hashRecord(text) };
  const { id, source, subject, type } = envelope;
  const topic = topicOf(type);
  // Operational events of a feed are in one order, whatever their subject.
  const record = isOperationType(toShortType(type)) ? source : `${source}\n${subject}`;
  return { id, subject: subject ?? null, topic, recordHash: hashRecord(record) };
}

function hashRecord(record: string): string {
  return hash('sha256', record, 'base64url').slice(0, HASH_LENGTH);
}

/** Publishing during one poll, shared by its commits and its work on the outbox. */
export class PublishState {
  /** Hashes of records with an unpublished event: their later events wait (rule 3). */
  readonly blocked = new Set<string>();
  /** Topics to which this poll publishes nothing more. */
  readonly closed = new Set<string>();
  /** Lines of which a batch was not read: later events of theirs may be of the same records, so they wait. */
  readonly behind = new Set<Line>();
  readonly #held: Map<string, HeldEvent[]>;

  constructor(held: FeedState['held'] = {}) {
    this.#held = new Map(Object.entries(held));
  }

  /** Unpublished events of a batch; null when it is not remembered. */
  heldOf(pointer: string): readonly HeldEvent[] | null {
    return this.#held.get(pointer) ?? null;
  }

  /** Remembers the unpublished events of a batch; false beyond the bound, where later batches wait unread. */
  hold(pointer: string, events: HeldEvent[]): boolean {
    this.forget(pointer);
    if ([...this.#held.values(), events].flat().length > MAX_HELD_EVENTS) return false;
    this.#held.set(pointer, events);
    return true;
  }

  forget(pointer: string): void {
    this.#held.delete(pointer);
  }

  /** Forgets the batches that are no longer in an outbox. */
  keepOnly(pointers: ReadonlySet<string>): void {
    for (const pointer of this.#held.keys()) if (!pointers.has(pointer)) this.forget(pointer);
  }

  isStuck(topic: string, recordHash: string): boolean {
    return this.closed.has(topic) || this.blocked.has(recordHash);
  }

  get held(): FeedState['held'] {
    return Object.fromEntries(this.#held);
  }
}

/** Items of the event log read together at first; doubles while batches go out. */
export const FIRST_READ_ITEMS = 10;
/** As many as one request to the table may ask for. */
const MAX_READ_ITEMS = 100;
/** Characters of one reading beyond which the next one is smaller: what is on its way stays a few MB. */
const LARGE_READ_CHARACTERS = 4_000_000;

/** Items to read next, after so many that held these texts. */
export function computeNextReadItems(items: number, texts: readonly string[]): number {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  return characters > LARGE_READ_CHARACTERS ? Math.ceil(items / 2) : Math.min(MAX_READ_ITEMS, items * 2);
}
